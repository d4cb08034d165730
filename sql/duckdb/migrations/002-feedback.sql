-- Feedback as it was sent. Ids are per project. created_at counts microseconds since 1970.
-- content: JSON of every member that was sent, payload included, without nulls and without the id.
CREATE TABLE feedback (
  project_id VARCHAR NOT NULL,
  id VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  svc_user_id VARCHAR NOT NULL,
  svc_ref VARCHAR NOT NULL,
  feedback_type VARCHAR NOT NULL,
  content VARCHAR NOT NULL
);
CREATE INDEX feedback_by_id ON feedback (id);
