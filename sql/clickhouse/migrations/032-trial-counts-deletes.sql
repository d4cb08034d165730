-- See 031.
ALTER TABLE trials {cluster} MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'
