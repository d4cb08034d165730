import fc from "fast-check";

/** Finite doubles, extremes and the borders between spellings among them. */
export const anyFinite: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 2, arbitrary: fc.double({ min: -1e3, max: 1e3, noNaN: true }) },
  { weight: 1, arbitrary: fc.integer() },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: -330, max: 307 }), fc.integer({ min: 1, max: 99 }))
      .map(([e, d]) => Number(`${d / 10}e${e}`)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      5e-324,
      2 ** -1022,
      2 ** -1074 * 3,
      Number.MAX_VALUE,
      1e21,
      1e20,
      999999999999999900000,
      1e-6,
      1e-7,
      9.99e-7,
      2 ** 53,
      2 ** 81,
      -(2 ** 91),
      2 ** 807,
      -0,
      0,
      0.1,
    ),
  },
);
