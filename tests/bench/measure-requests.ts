import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cpuMs,
  type Settings,
  type Subject,
  startBuiltGateway,
  startChangingBackend,
  startConstantBackend,
  startNginx,
  startScript,
  startUnderNext,
} from "./children.ts";
import { type LoadRequest, loadHttp, untilAnswered } from "./http-load.ts";
import { type Measured, measureInTurn } from "./measure-in-turn.ts";
import type { Plan } from "./plan.ts";
import { type RecordedRequest, recordCalls } from "./record-calls.ts";
import { printRows, say } from "./report.ts";
import type { Row } from "./results.ts";

const CALLS_CONNECTIONS = 16;
const FILE_CONNECTIONS = 4;
const FILE_MB = 4;
const FILE_ID = "f".repeat(26);
const GATEWAY = "hivegate";
const DIRECT = "direct calls";

/** A server, and the request that is sent to it. */
type Target = Subject & { asked: LoadRequest };

/** Measures HTTP through the gateway, next to proxies that do less and the same routes through Next. */
export async function measureRequests({
  rounds,
  seconds,
  connections: connectionCounts,
  isWanted,
  watch,
  keep,
}: Plan): Promise<Row[]> {
  const http = { rounds, watch, bases: ["httpxy", "undici proxy"] };
  const calls = { rounds, watch, bases: [DIRECT] };

  const measureHttp = ({ asked, pid }: Target, connections: number): Promise<Measured> =>
    untilAnswered(seconds, async (length) => {
      const before = cpuMs(pid);
      const load = await loadHttp(asked, connections, length);
      return { ...load, cpuUs: ((cpuMs(pid) - before) * 1000) / (load.perSecond * length) };
    });

  say("recording the gateway's backend calls on the sandbox");
  const recording = await recordCalls({ RATE_LIMITS: "off" });
  const { me, posts, bootstrap } = recording.requests;
  const userTarget = "/api/v4/users/me";
  const fileTarget = `/api/v4/files/${FILE_ID}`;
  const backend = keep(
    await startConstantBackend(
      new Map([...recording.answers, [`GET ${fileTarget}`, "x".repeat(FILE_MB * 1024 * 1024)]]),
    ),
  );
  const settings: Settings = {
    ...recording.settings,
    CHAT_BASE_URL: `${backend.url}/api/v4`,
    RATE_LIMITS: "on",
  };
  // Each gateway starts with the store that the recorded gateway left.
  const withOwnStore = (more: Settings = {}): Settings => {
    const folder = mkdtempSync(join(tmpdir(), "hivegate-bench-"));
    cpSync(settings.DATA_DIR ?? "", folder, { recursive: true });
    return { ...settings, DATA_DIR: folder, ...more };
  };
  const gateway = keep(await startBuiltGateway(GATEWAY, withOwnStore()));
  const underNext = keep(await startUnderNext(`${GATEWAY} through Next`, withOwnStore()));
  const proxies = [
    await startNginx(backend.url),
    await startScript("undici proxy", "undici-proxy.ts", [backend.url], 0),
    await startScript("httpxy", "httpxy-proxy.ts", [backend.url], 0),
  ].flatMap((subject) => (subject ? [keep(subject)] : []));
  const { headers } = me;
  const atBackend = (path: string) => (subject: Subject) => ({
    ...subject,
    asked: { url: subject.url + path, method: "GET" as const, headers, body: "" },
  });
  const atGateway = (
    subject: Subject,
    { method, path, headers: sent, body }: Omit<RecordedRequest, "answer" | "groups">,
  ) => ({
    ...subject,
    asked: { url: subject.url + path, method, headers: sent, body },
  });
  const rows: Row[] = [];
  const needsUnlimited = isWanted("calls") || isWanted("file");
  // A person may read ten files a second, fewer than are measured.
  const unlimited =
    needsUnlimited && keep(await startBuiltGateway(GATEWAY, withOwnStore({ RATE_LIMITS: "off" })));

  if (isWanted("http")) {
    const targets = [
      ...[backend, ...proxies].map(atBackend(userTarget)),
      ...[gateway, underNext].map((subject) => atGateway(subject, me)),
    ];
    const found: Row[] = [];
    for (const connections of connectionCounts)
      found.push(
        ...(await measureInTurn(
          `GET one user, ${connections} connections`,
          targets,
          (it) => measureHttp(it, connections),
          http,
        )),
      );
    printRows(found, "http");
    rows.push(...found);
  }
  if (unlimited && isWanted("calls")) {
    const found: Row[] = [];
    const changing = keep(await startChangingBackend(recording.answers));
    const withChanges = keep(
      await startBuiltGateway(
        GATEWAY,
        withOwnStore({ RATE_LIMITS: "off", CHAT_BASE_URL: `${changing.url}/api/v4` }),
      ),
    );
    for (const [what, request, mattermost, asked] of [
      ["a page of posts", posts, backend, unlimited],
      ["a page of posts that has changed", posts, changing, withChanges],
      ["a bootstrap", bootstrap, backend, unlimited],
    ] as const) {
      const { groups, answer } = request;
      const origins = { mattermost: mattermost.url, chain: recording.chainUrl };
      const script = JSON.stringify({ groups, answer, origins });
      const direct = keep(await startScript(DIRECT, "direct-calls.ts", [script], 0));
      const count = groups.flat().length;
      found.push(
        ...(await measureInTurn(
          `${what} (${count} calls), ${CALLS_CONNECTIONS} connections`,
          [atGateway(direct, request), atGateway(asked, request)],
          (it) => measureHttp(it, CALLS_CONNECTIONS),
          calls,
        )),
      );
    }
    printRows(found, "calls");
    rows.push(...found);
  }
  if (unlimited && isWanted("file")) {
    const file = { method: "GET" as const, path: `/api/chat/files/${FILE_ID}`, headers, body: "" };
    const targets = [...proxies.map(atBackend(fileTarget)), atGateway(unlimited, file)];
    const perMb = async (it: Target) => {
      const { cpuUs, ...load } = await measureHttp(it, FILE_CONNECTIONS);
      return { ...load, cpuUs: cpuUs / FILE_MB };
    };
    const found = await measureInTurn(
      `GET a file of ${FILE_MB} MB, ${FILE_CONNECTIONS} connections`,
      targets,
      perMb,
      http,
    );
    printRows(found, "file");
    rows.push(...found);
  }
  await recording.close();
  return rows;
}
