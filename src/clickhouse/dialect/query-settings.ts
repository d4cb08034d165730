/** Settings on which statements depend. */
export const QUERY_SETTINGS = {
  join_use_nulls: 1,
  enable_materialized_cte: 1,
  joined_subquery_requires_alias: 0,
  union_default_mode: "DISTINCT",
  intersect_default_mode: "DISTINCT",
  cast_keep_nullable: 1,
  data_type_default_nullable: 1,
  enable_named_columns_in_function_tuple: 1,
  prefer_column_name_to_alias: 1,
  output_format_json_escape_forward_slashes: 0,
  // Compiled, bitShiftRight of a negative Int128 fills with zeros: -1 becomes 2^68 - 1 when shifted by 60.
  compile_expressions: 0,
} as const;
