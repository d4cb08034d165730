import type { FeedbackStore, StoredFeedback } from "../../src/feedback/store.ts";

/** Feedback in an array. */
export function createMemoryFeedbackStore(): FeedbackStore {
  const records: StoredFeedback[] = [];
  const find = (projectId: string, id: string) =>
    records.find((record) => record.project_id === projectId && record.id === id);
  return {
    async insert(record) {
      const existing = find(record.project_id, record.id);
      if (existing !== undefined) return existing;
      records.push(record);
      return record;
    },
    async insertMany(sent, check) {
      const before = records.length;
      try {
        return sent.map((record, i) => {
          const existing = find(record.project_id, record.id);
          if (existing === undefined) records.push(record);
          else check(i, existing);
          return existing ?? record;
        });
      } catch (error) {
        records.length = before;
        throw error;
      }
    },
    async replace(id, record, isSame) {
      const known = find(record.project_id, record.id);
      if (known !== undefined && (id !== record.id ? !isSame(known) : isSame(known))) return known;
      const old = find(record.project_id, id);
      if (old !== undefined) records.splice(records.indexOf(old), 1);
      if (known === undefined || known === old) records.push(record);
      return known === undefined || known === old ? record : known;
    },
    async purge(projectId, { ids, svcRef, feedbackType }) {
      const isPurged = (record: StoredFeedback) =>
        record.project_id === projectId &&
        (ids === null || ids.includes(record.id)) &&
        (svcRef === null || record.svc_ref === svcRef) &&
        (feedbackType === null || record.feedback_type === feedbackType);
      const kept = records.filter((record) => !isPurged(record));
      const purged = records.length - kept.length;
      records.splice(0, records.length, ...kept);
      return purged;
    },
    get: async (projectId, id) => find(projectId, id),
    async list(projectId, query) {
      const cursor = query.after === null ? undefined : find(projectId, query.after);
      return records
        .filter((record) => record.project_id === projectId)
        .filter((record) => query.svcRef === null || record.svc_ref === query.svcRef)
        .filter((record) => query.feedbackType === null || record.feedback_type === query.feedbackType)
        .filter((record) => query.since === null || record.createdAt >= query.since)
        .filter((record) => query.until === null || record.createdAt < query.until)
        .filter((record) => cursor === undefined || compare(record, cursor) > 0)
        .toSorted(compare)
        .slice(0, query.limit);
    },
  };
}

function compare(a: StoredFeedback, b: StoredFeedback): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
