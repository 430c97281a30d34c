import { createFacilitatorHandlers, type HiveFacilitator } from "../../lib/x402/facilitator/index.ts";
import { serveNode } from "./serve-web.ts";

/** The fate of a call: it passes, its answer is lost or changed, or it never arrives. */
export type FacilitatorTreatment =
  | "pass"
  | "cut"
  | "hang"
  | "lose-answer"
  | { status: number; text: string; headers?: Record<string, string> }
  | { change: (answer: Record<string, unknown>) => unknown };

type Call = { path: string; idempotencyKey: string | undefined; body: Record<string, unknown> };

/** Serves a facilitator over HTTP that records its calls to verify and settle, and applies faults to them. */
export async function serveFacilitator(facilitator: HiveFacilitator) {
  const handlers = createFacilitatorHandlers(facilitator, () => {});
  const calls: Call[] = [];
  let decide: (path: string) => FacilitatorTreatment = () => "pass";

  const server = await serveNode(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = incoming.url ?? "";
    if (path === "/supported") {
      const response = await handlers.supported(new Request(`http://facilitator.example${path}`));
      return outgoing.writeHead(response.status).end(await response.text());
    }
    const idempotencyKey = incoming.headers["idempotency-key"]?.toString();
    calls.push({ path, idempotencyKey, body: JSON.parse(text) as Record<string, unknown> });
    const treatment = decide(path);
    if (treatment === "hang") return;
    if (treatment === "cut") return incoming.socket.destroy();
    if (typeof treatment === "object" && "status" in treatment)
      return outgoing.writeHead(treatment.status, treatment.headers).end(treatment.text);
    const request = new Request(`http://facilitator.example${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      body: text,
    });
    const response = await (path === "/verify" ? handlers.verify(request) : handlers.settle(request));
    const answer = (await response.json()) as Record<string, unknown>;
    if (treatment === "lose-answer") return incoming.socket.destroy();
    const changed = typeof treatment === "object" ? treatment.change(answer) : answer;
    outgoing.writeHead(response.status, { "content-type": "application/json" }).end(JSON.stringify(changed));
  });

  return {
    url: server.url,
    calls,
    /** Returns the paths of the calls so far. */
    paths: () => calls.map(({ path }) => path),
    /** Sets the function that decides how each call is treated from now on. */
    treat(next: (path: string) => FacilitatorTreatment) {
      decide = next;
    },
    close: server.close,
  };
}
