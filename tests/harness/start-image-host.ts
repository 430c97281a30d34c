import { createHash } from "node:crypto";
import dhive from "@hiveio/dhive";
import { serveWeb } from "./serve-web.ts";

type Kept = { bytes: Buffer; name: string; type: string };

/**
 * Starts an image host like Hive's: `POST /<account>/<signature>` with a signature of the bytes by a posting
 * key, or `POST /hs/<token>`, each with a form of known length. `keys` are public posting keys by account.
 */
export async function startImageHost({
  keys = {},
  token = "good",
}: {
  keys?: Record<string, string>;
  token?: string;
}) {
  const kept = new Map<string, Kept>();
  let instead: (() => Response) | null = null;
  let underWay = 0;
  let mostAtOnce = 0;
  const refuse = (status: number, name: string) => Response.json({ error: { name } }, { status });

  const take = async (request: Request, [who = "", proof = ""]: string[]) => {
    if (!request.headers.get("content-type")?.includes("multipart/form-data"))
      return refuse(400, "bad_request");
    if (!Number.isFinite(Number.parseInt(request.headers.get("content-length") ?? "", 10)))
      return refuse(411, "length_required");
    const file = [...(await request.formData()).values()].find((value) => value instanceof File);
    if (!file) return refuse(400, "file_missing");
    const bytes = Buffer.from(await file.arrayBuffer());
    const digest = createHash("sha256").update("ImageSigningChallenge").update(bytes).digest();
    const isSigned =
      who === "hs"
        ? proof === token
        : dhive.Signature.fromString(proof).recover(digest).toString() === keys[who];
    if (!isSigned) return refuse(400, "invalid_signature");
    const path = `/D${digest.toString("hex")}/${file.name}`;
    kept.set(path, { bytes, name: file.name, type: file.type });
    return Response.json({ url: new URL(path, server.url).href });
  };

  const server = await serveWeb(async (request) => {
    const { pathname } = new URL(request.url);
    const found = kept.get(decodeURIComponent(pathname));
    if (request.method === "GET")
      return found
        ? new Response(new Uint8Array(found.bytes), { headers: { "content-type": found.type } })
        : new Response("imagehoster", { status: pathname === "/" ? 200 : 404 });
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    try {
      return instead ? instead() : await take(request, pathname.split("/").slice(1));
    } finally {
      underWay -= 1;
    }
  });

  return {
    url: server.url,
    host: new URL(server.url).host,
    pictures: () => [...kept.values()],
    mostAtOnce: () => mostAtOnce,
    /** Sets the answer to every picture from now on; null restores the host's normal answer. */
    answerInstead(answer: (() => Response) | null) {
      instead = answer;
    },
    close: () => server.close(),
  };
}
