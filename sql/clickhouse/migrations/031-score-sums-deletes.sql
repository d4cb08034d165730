-- What is deleted leaves the sums, too. A statement of its own: with replicas the server takes no other change beside that of a setting.
ALTER TABLE scores {cluster} MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'
