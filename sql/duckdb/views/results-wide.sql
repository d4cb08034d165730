-- How `results` reads dimensions from a wide table, which has all columns of trials that are read, under the name of the trials.
SELECT CASE WHEN e.project_key = $project_key THEN t.value END AS value
FROM main.wide AS t
