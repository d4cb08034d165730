import type { Answers } from "../answers.ts";
import { saveFile } from "../row-parts/save-file.ts";
import { projectPath, type Service } from "../service/service.ts";

/** Downloads the report of what is shown; it begins with this score. */
export async function saveReport(service: Service, answers: Answers, score: string | null): Promise<void> {
  const { project, question, evaluations, baseline, comparison } = answers;
  const options = {
    ...question,
    evaluations: evaluations.map(({ id }) => id),
    ...(baseline === null ? {} : { baseline, baseline_is_best: comparison?.ranks != null }),
    ...(score === null ? {} : { score }),
  };
  const path = projectPath(project, "eval_results/report");
  const file = await service.download(path, options, new AbortController().signal);
  saveFile(file, `${project.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 100)}.html`);
}
