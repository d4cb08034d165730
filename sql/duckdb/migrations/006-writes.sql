-- When something was stored, in whole seconds: of each second one record. The first write of a process leaves only its own.
CREATE TABLE writes (
  written_at BIGINT NOT NULL
);
