import fc from "fast-check";

export const NAMES = ["a", "b", "c", "yes", "no"] as const;
export type Row = Readonly<Record<(typeof NAMES)[number], number | null>>;

const SPECIAL = [
  0, 1, -1, 0.5, -0.5, 2, 3, 0.1, 0.2, 0.3, 1e-15, 1e-13, 1e12, 1e300, -1e300, 5e-324, 2.5, -2.5,
];
const NEARLY = [
  0.30000000000000004, 0.49999999999999994, 2.9999999999999996, -3.0000000000000004, 0.4999999999996,
];
const double = fc.oneof(
  fc.constantFrom(...SPECIAL, ...NEARLY),
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -10, max: 10, noNaN: true }),
);
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null, freq: 8 });
const truth = maybe(fc.constantFrom(0, 1));
export const row: fc.Arbitrary<Row> = fc.record({
  a: maybe(double),
  b: maybe(double),
  c: maybe(double),
  yes: truth,
  no: truth,
});

const leaf = fc.oneof(
  { arbitrary: fc.constantFrom(...NAMES), weight: 4 },
  { arbitrary: fc.constantFrom("0", "1", "2", "0.5", "0.1", "1e-13", "true", "false", "3"), weight: 2 },
);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const one = tie("expression");
  const binary = fc.constantFrom(
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "mod",
  );
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthSize: "large", withCrossShrink: true },
      leaf,
      fc.tuple(one, binary, one).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(one, one, one).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(fc.constantFrom("-", "+", "not "), one).map(([sign, a]) => `(${sign}${a})`),
      fc
        .tuple(fc.constantFrom("abs", "sqrt", "round", "floor", "ceil"), one)
        .map(([name, a]) => `${name}(${a})`),
      fc
        .tuple(fc.constantFrom("min", "max"), fc.array(one, { minLength: 1, maxLength: 3 }))
        .map(([name, args]) => `${name}(${args.join(", ")})`),
    ),
  };
});

/** Those that name a score. */
export const expressions: fc.Arbitrary<string> = expression.filter((text) =>
  NAMES.some((name) => new RegExp(`\\b${name}\\b`).test(text)),
);
