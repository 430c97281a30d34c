import { serveWeb } from "./serve-web.ts";

type Asked = { q: string; source: string; target: string; format: string; api_key?: string };

const known: Readonly<Record<string, string>> = { "Guten Morgen": "de", "Good morning": "en" };

const answer = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

/**
 * Starts a server that speaks LibreTranslate's protocol: it translates `es` and `en`, requires the key if one
 * is given, and marks every text with its target language.
 */
export async function startTranslator({ key }: { key?: string } = {}) {
  const asked: Asked[] = [];
  let untilOpen: Promise<void> | null = null;
  let next: ((request: Request) => Promise<Response> | Response) | null = null;
  const server = await serveWeb(async (request) => {
    if (new URL(request.url).pathname !== "/translate" || request.method !== "POST")
      return answer(404, { error: "Not found" });
    const body = (await request.json()) as Asked;
    asked.push(body);
    await untilOpen;
    if (next) {
      const special = next;
      next = null;
      return special(request);
    }
    if (key !== undefined && body.api_key !== key) return answer(403, { error: "Invalid API key" });
    if (!["es", "en"].includes(body.target)) return answer(400, { error: `${body.target} is not supported` });
    return answer(200, {
      translatedText: `[${body.target}] ${body.q}`,
      detectedLanguage: { confidence: 90, language: known[body.q] ?? "en" },
    });
  });
  return {
    ...server,
    asked,
    /** Holds all answers until the returned function is called. */
    holdAnswers(): () => void {
      let open = () => {};
      untilOpen = new Promise((resolve) => {
        open = resolve;
      });
      return () => {
        untilOpen = null;
        open();
      };
    },
    /** Sets the answer to the next request. */
    answerNext(with_: NonNullable<typeof next>) {
      next = with_;
    },
  };
}
