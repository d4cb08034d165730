import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Name } from "../parts/name.tsx";
import { Failure } from "../row-parts/failure.tsx";
import { useAsked } from "../row-parts/use-asked.ts";
import { figures, names, Table, type Column } from "../parts/table.tsx";
import { startText } from "../model/runs.ts";
import { readProjects, readRuns, type ListedRun } from "../service/service-answers.ts";
import { serviceAt, type Service } from "../service/service.ts";
import { counted, countText, NOTHING } from "../../words/figures.ts";
import { writeAddress } from "./address.ts";
import { forgetKey, givenKey, keepKey, KeyForm, takeKey, useSharedKey } from "./key-form.tsx";
import { Frame } from "./frame.tsx";
import { ProjectPage } from "./project-page.tsx";
import { useAddress, type UsedAddress } from "./use-address.ts";
import { useRefresh } from "./use-refresh.ts";

/** The page over a service: first a key, then a project, then its evaluations. */
export function View({ ownKey }: { readonly ownKey: boolean }): VNode {
  const [key, setKey] = useState(givenKey);
  const [refused, setRefused] = useState<string | null>(null);
  // After the effects of what is inside, so that the page is asked for first: the storage of a tab takes 3 ms to open.
  useLayoutEffect(() => void takeKey(), []);
  useEffect(() => {
    const follow = () => setKey((last) => takeKey() ?? last);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const service = useMemo(() => {
    if (key === null) return null;
    return serviceAt(new URL("../", location.href).href, key, () => {
      forgetKey();
      setRefused(key);
      setKey(null);
    });
  }, [key]);
  const open = (given: string) => {
    setRefused(null);
    setKey(keepKey(given));
  };
  const isAsking = useSharedKey(ownKey, key, refused, open);
  if (service !== null) return <Projects service={service} />;
  return isAsking ? (
    <Frame title="evalcube" reading />
  ) : (
    <KeyForm {...{ ownKey, open }} refused={refused !== null} />
  );
}

function Projects({ service }: { readonly service: Service }): VNode {
  const used = useAddress();
  const { project } = used.address;
  if (project === null) return <ProjectChoice {...{ service, used }} />;
  return <ProjectPage key={project} {...{ service, project, used }} />;
}

interface ProjectChoiceProps {
  readonly service: Service;
  readonly used: UsedAddress;
}

function ProjectChoice({ service, used }: ProjectChoiceProps): VNode {
  const { answer, error, again } = useAsked((signal) => readProjects(service, signal), [service]);
  const only = answer?.length === 1 ? (answer[0]?.project_id ?? null) : null;
  useEffect(() => {
    if (only !== null) used.change({ project: only });
  }, [only]);
  if (error !== null)
    return (
      <Frame title="evalcube">
        <Failure error={error} again={again} />
      </Frame>
    );
  if (answer === null || only !== null) return <Frame title="evalcube" reading />;
  return (
    <Frame title="Projects">
      {answer.length === 0 ? (
        <p>
          There is no project that this key may use. Load evaluations with evalcube ingest or evalcube import,
          or use another key.
        </p>
      ) : (
        <>
          <ul class="projects">
            {answer.map(({ project_id: project, evaluation_count: count }) => (
              <li key={project}>
                <a href={`#${writeAddress({ ...used.address, project })}`}>
                  <Name text={project} />
                </a>{" "}
                <span class="hint">{counted(count, "evaluation")}</span>
              </li>
            ))}
          </ul>
          <AllRuns {...{ service }} projects={answer} />
        </>
      )}
    </Frame>
  );
}

type Listed = Awaited<ReturnType<typeof readProjects>>;

const COLUMNS: readonly Column<ListedRun>[] = [
  names(({ id, display_name: name }) => ({ text: name ?? id, full: id })),
  { head: "Project", cell: ({ project }) => <Name text={project} /> },
  { head: "Started", cell: ({ started_at: at }) => startText(at) },
  { head: "User", cell: ({ user }) => <Name text={user ?? NOTHING} /> },
  { head: "Status", cell: ({ status }) => status },
  figures(({ trial_count: count }) => countText(count), "Trials"),
];

/** The latest runs of all projects. */
function AllRuns({
  service,
  projects,
}: {
  readonly service: Service;
  readonly projects: Listed;
}): VNode | null {
  const asked = useAsked((signal) => readRuns(service, projects, signal), [projects]);
  const { answer } = asked;
  useRefresh(asked, answer);
  return answer && <Table label="Runs" columns={COLUMNS} lines={answer} />;
}
