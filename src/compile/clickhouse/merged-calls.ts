/** Members of an end; see `mergePart`. */
const OF_END = "('ended_at', 'output', 'exception', 'summary', 'wb_run_step_end', 'is_eval')";

/**
 * Functions that make one document of the records of a call, as `mergeRecords` and `mergePart` do when they are stored. `members` are
 * lists of (name, JSON). A variable has a name of its own in each, since functions are written out where they are used.
 */
export const MERGING: readonly string[] = [
  "(of_all -> arrayFilter(a -> a.2 <> 'null', of_all)) AS present_members",
  "((of_names, wanted_name) -> arrayExists(b -> b.1 = wanted_name, of_names)) AS has_member",
  "((below, above) -> arrayConcat(arrayFilter(c -> NOT has_member(above, c.1), below), above)) AS laid_over",
  `(of_times -> parseDateTime64BestEffortOrNull(JSONExtractString(arrayFirst(d -> d.1 = 'ended_at', of_times).2), 6, 'UTC')) AS end_of`,
  // A start adds nothing to a call that has one; a whole call knows better than a start.
  `((begun, sent, part) -> if(part = 3 OR (part = 1 AND NOT has_member(begun, 'op_name')),
    laid_over(begun, arrayFilter(e -> e.1 NOT IN ${OF_END} AND e.1 <> 'display_name', sent)), begun)) AS with_start`,
  // An end replaces members of an end together, unless a later one is known.
  `((open, sent, part, overtaken) -> if(part IN (2, 3), laid_over(arrayFilter(f -> overtaken OR f.1 NOT IN ${OF_END}, open),
    arrayFilter(g -> g.1 <> 'display_name' AND if(g.1 IN ${OF_END}, NOT overtaken, NOT has_member(open, g.1)), sent)), open)) AS with_end`,
  `((named, from_names) -> laid_over(arrayFilter(h -> h.1 <> 'display_name', named),
    arrayFilter(i -> i.1 = 'display_name', from_names))) AS with_name`,
  "((sent, rank, known_rank) -> NOT (rank < known_rank OR (rank < 2 AND NOT has_member(sent, 'display_name')))) AS gives_name",
  `((before, sent, part, rank, known_rank) -> arrayMap((begun, overtaken) -> arrayMap(ended -> tuple(
    if(part = 1 AND has_member(before, 'op_name'), with_name(ended, before), if(gives_name(sent, rank, known_rank), with_name(ended, sent), ended)),
    if(gives_name(sent, rank, known_rank), rank, known_rank)),
    [with_end(begun, sent, part, overtaken)])[1],
    [with_start(before, sent, part)], [ifNull(end_of(before) > end_of(sent), false)])[1]) AS with_part`,
  `((state, one) -> if(one.3 = 0, tuple(laid_over(state.1, present_members(one.5)), state.2),
    arrayMap((before, sent) -> with_part(before, sent, one.3, if(one.3 = 4, toUInt8(2), one.4), state.2),
      [present_members(state.1)], [present_members(one.5)])[1])) AS with_record`,
  `(of_written -> concat('{', arrayStringConcat(arrayMap(j -> concat(toJSONString(j.1), ':', j.2), of_written), ','), '}')) AS written_members`,
  // Of one record nothing is taken apart.
  `(records -> if(length(records) = 1, records[1].5, arrayMap(parts ->
    written_members(arrayFold((state, one) -> with_record(state, one), arraySlice(parts, 2), tuple(parts[1].5, parts[1].4)).1),
    [arrayMap(r -> tuple(r.1, r.2, r.3, r.4, JSONExtractKeysAndValuesRaw(if(length(records) = 1, '', r.5))), records)])[1])) AS merged_call`,
];
