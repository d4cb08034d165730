import type { ModelOwners } from "../../src/training/ownership.ts";
import type {
  Idempotency,
  StoredCheckpoint,
  StoredEvent,
  StoredJob,
  StoredModel,
  TrainingStore,
} from "../../src/training/store.ts";

/** Training records in arrays. */
export function createMemoryTrainingStore(): TrainingStore {
  const jobs: StoredJob[] = [];
  const keys: (Idempotency & { readonly jobId: string })[] = [];
  const models: StoredModel[] = [];
  const checkpoints = new Map<string, StoredCheckpoint[]>();
  const events = new Map<string, StoredEvent[]>();
  const ownersOfModel = (id: string): ModelOwners => {
    const found = models.filter((model) => model.id === id);
    return found.length > 0
      ? {
          registered: true,
          owners: found.map(({ entity, project }) => ({ projectId: `${entity}/${project}`, userId: null })),
        }
      : { registered: false, owners: jobs.filter((job) => job.modelId === id) };
  };
  return {
    async insertJob(job, _trajectories, idempotency, check) {
      check(ownersOfModel(job.modelId));
      const earlier = keys.find(
        (entry) => entry.keyId === idempotency?.keyId && entry.key === idempotency.key,
      );
      if (earlier !== undefined)
        return { id: earlier.jobId, requestHash: earlier.requestHash, inserted: false };
      if (idempotency !== null) keys.push({ ...idempotency, jobId: job.id });
      jobs.push(job);
      return { id: job.id, requestHash: idempotency?.requestHash ?? null, inserted: true };
    },
    getJob: async (id) => jobs.find((job) => job.id === id),
    ownersOfJob: async (id) => jobs.filter((job) => job.id === id),
    async insertModel(model) {
      const existing = models.find(
        ({ entity, project, name }) =>
          entity === model.entity && project === model.project && name === model.name,
      );
      if (existing === undefined) models.push(model);
      return existing ?? model;
    },
    getModel: async (id) => models.find((model) => model.id === id),
    ownersOfModel: async (id) => ownersOfModel(id),
    async claimLog(id, idempotency) {
      const earlier = keys.find((one) => one.keyId === idempotency.keyId && one.key === idempotency.key);
      if (earlier !== undefined) return { id: earlier.jobId, requestHash: earlier.requestHash };
      keys.push({ ...idempotency, jobId: id });
      return { id, requestHash: idempotency.requestHash };
    },
    async deleteModel(id, may) {
      const at = models.findIndex((model) => model.id === id);
      if (at === -1 || !may(ownersOfModel(id))) return null;
      models.splice(at, 1);
      const count = checkpoints.get(id)?.length ?? 0;
      checkpoints.delete(id);
      return count;
    },
    async deleteCheckpoints(modelId, steps, may) {
      const all = may(ownersOfModel(modelId)) ? (checkpoints.get(modelId) ?? []) : [];
      const gone = all.filter(({ step }) => steps.includes(step));
      checkpoints.set(
        modelId,
        all.filter((one) => !gone.includes(one)),
      );
      return { count: gone.length, found: new Set(gone.map(({ step }) => step)) };
    },
    async insertCheckpoint(modelId, checkpoint) {
      checkpoints.set(modelId, [...(checkpoints.get(modelId) ?? []), checkpoint]);
    },
    hasCheckpoint: async (modelId, id) => (checkpoints.get(modelId) ?? []).some((entry) => entry.id === id),
    async listCheckpoints(modelId, { after, limit, order }) {
      const ascending = (checkpoints.get(modelId) ?? []).toSorted(
        (a, b) => a.step - b.step || (a.id < b.id ? -1 : 1),
      );
      const ordered = order === "asc" ? ascending : ascending.toReversed();
      const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
      return ordered.slice(from, from + limit);
    },
    async insertEvent(jobId, event) {
      events.set(jobId, [...(events.get(jobId) ?? []), event]);
    },
    hasEvent: async (jobId, id) => (events.get(jobId) ?? []).some((entry) => entry.id === id),
    async listEvents(jobId, { after, limit }) {
      const list = events.get(jobId) ?? [];
      const from = after === null ? 0 : list.findIndex(({ id }) => id === after) + 1;
      return list.slice(from, from + limit);
    },
  };
}
