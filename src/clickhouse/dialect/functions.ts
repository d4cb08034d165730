/** The functions that statements use and ClickHouse lacks, as items of a WITH clause: local to a statement. */
export const FUNCTIONS: readonly string[] = [
  "(x -> if(isFinite(x), x, NULL)) AS finite",
  "((a, b) -> position(a, b) > 0) AS contains",
  "((a, b) -> startsWith(a, b)) AS starts_with",
  "(x -> length(x)) AS len",
  "(x -> sipHash64(x)) AS hash",
  "(x -> lowerUTF8(hex(SHA256(x)))) AS sha256",
  "((x, a, b) -> arraySlice(x, a, b - a + 1)) AS list_slice",
  // Letter by letter, wherever it stands in a word.
  "(x -> lowerUTF8(replaceAll(replaceAll(x, 'Σ', 'σ'), 'İ', 'i'))) AS lower",
  // What finds calls by their ids needs no hash here.
  `(id -> concat('1:', id)) AS id_hash`,
  "(x -> x) AS md5_number_lower",
  String.raw`(s -> if(match(s, '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?\\z'), finite(toFloat64OrNull(s)), NULL)) AS text_number`,
  // ECMAScript's spelling.
  String.raw`(x -> if(x = 0, '0', replaceRegexpOne(replaceOne(toString(x), 'inf', 'Infinity'), 'e(\\d)', 'e+\\1'))) AS number_text`,
  /*
   * JSON of a value, as JSONExtractRaw gives it: compact. A string that begins with U+E000 is a number that ClickHouse
   * would refuse or spell otherwise; one that begins with two of them is a string that begins with one.
   */
  `(j -> startsWith(j, '"\uE000') AND NOT startsWith(j, '"\uE000\uE000')) AS json_is_marked`,
  `(j -> multiIf(j IS NULL, NULL, json_is_marked(j), 'DOUBLE', startsWith(j, '"'), 'VARCHAR', startsWith(j, '{'), 'OBJECT',
    startsWith(j, '['), 'ARRAY', j IN ('true', 'false'), 'BOOLEAN', j = 'null', 'NULL', match(j, '[.e]'), 'DOUBLE',
    startsWith(j, '-'), 'BIGINT', 'UBIGINT')) AS json_type`,
  "(j -> if(startsWith(j, '\"'), substring(j, 5, length(j) - 5), j)) AS json_digits",
  `(j -> if(startsWith(j, '"\uE000'), substring(JSONExtractString(j), 4), JSONExtractString(j))) AS json_string`,
  // Escaped backslashes and quotes are put aside, so that what is looked for is what it seems to be.
  String.raw`(j -> replaceAll(replaceAll(j, '\\\\', '\x01'), '\\"', '\x02')) AS json_aside`,
  String.raw`(j -> replaceAll(replaceAll(j, '\x01', '\\\\'), '\x02', '\\"')) AS json_back`,
  String.raw`(j -> if(position(j, '\\u202') = 0, j, json_back(replaceAll(replaceAll(json_aside(j), '\\u2028', '\xE2\x80\xA8'), '\\u2029',
    '\xE2\x80\xA9')))) AS json_separators`,
  // As DuckDB spells a whole document.
  String.raw`(j -> json_separators(if(position(j, '\xEE\x80\x80') = 0, j, json_back(replaceAll(replaceRegexpAll(json_aside(j),
    '"\xEE\x80\x80(-?[0-9][-+.eE0-9]*)"', '\\1'), '"\xEE\x80\x80', '"'))))) AS json_spelled`,
  "(s -> json_separators(toJSONString(s))) AS to_json",
  // What is no JSON as a whole has no members either.
  "(j -> true) AS json_valid",
  `(j -> multiIf(json_type(j) = 'VARCHAR', text_number(json_string(j)), json_type(j) = 'BOOLEAN', if(j = 'true', 1., 0.),
    json_type(j) IN ('BIGINT', 'UBIGINT', 'DOUBLE'), finite(toFloat64OrNull(json_digits(j))), NULL)) AS json_number`,
  // Nothing but the digits of a number is read as one: strings have quotes.
  "(j -> arrayMap(n -> if(n >= 0, n, NULL), [toFloat64OrNull(json_digits(j))])[1]) AS json_amount",
  String.raw`(j -> multiIf(json_type(j) = 'VARCHAR', json_string(j), json_type(j) = 'NULL', NULL,
    json_type(j) = 'DOUBLE', if(match(json_digits(j), '^-?[0-9]+\\z'), json_digits(j), number_text(toFloat64OrNull(json_digits(j)))),
    json_spelled(j))) AS json_text`,
  // For a member that is a string, null or absent.
  "((document, name) -> json_string(JSONExtractRaw(document, name))) AS json_member_string",
  // Microseconds since 1970 of an ISO 8601 time.
  "(s -> toUnixTimestamp64Micro(parseDateTime64BestEffortOrNull(replaceOne(upper(s), ',', '.'), 6, 'UTC'))) AS json_time",
  `(j -> multiIf(json_type(j) = 'BOOLEAN', j = 'true',
    json_type(j) = 'VARCHAR', transform(json_string(j), ['true', 'false'], [true, false], NULL),
    json_type(j) IN ('BIGINT', 'UBIGINT', 'DOUBLE'), transform(toFloat64OrNull(json_digits(j)), [1., 0.], [true, false], NULL), NULL)) AS json_boolean`,
  `(j -> multiIf(json_type(j) = 'BOOLEAN', j = 'true', json_type(j) = 'VARCHAR', json_string(j) <> '',
    json_type(j) IN ('BIGINT', 'UBIGINT', 'DOUBLE'), toFloat64OrNull(json_digits(j)) <> 0, NULL)) AS json_condition`,
  // The double nearest to an integer of 128 bits; see macros.sql of DuckDB. A function is written out where it is used,
  // so what it uses often gets a name by arrayMap.
  `((high, middle, low) -> (high + middle) + multiIf((high + middle) - high = middle, low,
    low = 0, middle - ((high + middle) - high), middle - ((high + middle) - high) + 549755813888.)) AS nearest_sum`,
  `(n -> arrayMap((high, middle, low) -> nearest_sum(high, middle, low),
    [toFloat64(bitShiftRight(toInt128(n), 80)) * exp2(80)],
    [toFloat64(bitAnd(bitShiftRight(toInt128(n), 40), toInt128(1099511627775))) * exp2(40)],
    [toFloat64(bitAnd(toInt128(n), toInt128(1099511627775)))])[1]) AS nearest_double`,
  "(x -> toInt32(floor(log2(if(x > 0, assumeNotNull(x), 1.))))) AS exponent",
  "((x, e) -> x * exp2(intDiv(e, 2)) * exp2(e - intDiv(e, 2))) AS times_power",
  `(y -> toInt128(toInt64(if(abs(y) < exp2(114), trunc(y) - trunc(y / exp2(60)) * exp2(60), 0.)))) AS lowest_digit`,
  `((numbers, unit, top) -> arrayMap(place -> arraySum(arrayMap(y -> lowest_digit(y),
    arrayMap(x -> times_power(assumeNotNull(x), -unit - 60 * toInt32(place)), numbers))),
    range(toUInt32(intDiv(top - unit, 60) + 1)))) AS digit_sums`,
  // The lowest digit comes last, after the sign and the highest.
  `(sums -> arrayFold((done, next) -> arrayConcat([toInt128(next + intDiv(done[1] - bitAnd(done[1], toInt128(1152921504606846975)), toInt128(1152921504606846976)))],
    [toInt128(bitAnd(done[1], toInt128(1152921504606846975)))], arraySlice(done, 2)), arrayConcat([toInt128(0)], sums, [toInt128(0), toInt128(0), toInt128(0)]), [toInt128(0)])) AS with_carries`,
  `(digits -> toInt32(arrayFirstIndex((digit, i) -> i > 1 AND digit <> if(digits[1] = 0, toInt128(0), toInt128(1152921504606846975)),
    digits, arrayEnumerate(digits)))) AS first_place`,
  `((digits, place) -> bitOr((digits[1] * toInt128(1152921504606846976) + digits[place]) * toInt128(1152921504606846976)
    + digits[place + 1], if(arrayExists(digit -> digit > 0, arraySlice(digits, place + 2)), toInt128(1), toInt128(0)))) AS three_digits`,
  `((digits, unit) -> arrayMap(place -> if(place = 0, 0., times_power(nearest_double(three_digits(digits, place)),
    unit + 60 * (toInt32(length(digits)) - place - 3))), [first_place(digits)])[1]) AS digits_total`,
  `((numbers, least, most, plain) -> if(least IS NULL, plain, arrayMap((ns, unit, top) ->
    arrayMap(digits -> digits_total(digits, unit), [with_carries(digit_sums(ns, unit, top))])[1],
    [numbers], [exponent(least) - 53], [exponent(most) + 2])[1])) AS exact_sum`,
];
