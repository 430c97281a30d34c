import { WebSocket } from "ws";
import { z } from "zod";
import { createReader, type Limits } from "./create-reader.ts";
import { ask, keyOf, read, Sandbox } from "./pay-for-article.ts";
import { signIn } from "./sign-in.ts";

const MAX_FRAME_BYTES = 1_000_000;
const MAX_WAITING = 20;

const Frame = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });
const Post = z.object({
  id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  root_id: z.string(),
  message: z.string(),
});

type AgentOptions = { baseUrl: string; account: string; limits: Limits; tell: (line: string) => void };

/**
 * Signs an account of a running sandbox in and answers whoever mentions it, in the thread, with what it bought for that.
 * `ended` resolves when the connection is over. @throws Error, fit to be shown
 */
export async function startAgent({ baseUrl, account, limits, tell }: AgentOptions) {
  const sandbox = await read(`${baseUrl}/api/sandbox`, 200, Sandbox);
  const { token, userId } = await signIn(baseUrl, account, keyOf(sandbox, account, "posting"));
  const reader = createReader(baseUrl, account, sandbox, limits);

  const answer = async (question: z.infer<typeof Post>) => {
    const message = await reader
      .answer(question.message)
      .catch((error: Error) => `I failed: ${error.message}`);
    const response = await ask(`${baseUrl}/api/chat/channels/${question.channel_id}/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ message, rootId: question.root_id || question.id }),
    });
    if (!response.ok) throw new Error(`the answer was refused with ${response.status}`);
    tell(message);
  };

  let waiting = 0;
  let last = Promise.resolve();
  const onFrame = (text: string) => {
    const frame = Frame.safeParse(JSON.parse(text));
    if (!frame.success || frame.data.event !== "posted") return;
    const { post, mentions } = frame.data.data;
    if (!String(mentions ?? "").includes(`"${userId}"`)) return;
    const question = Post.parse(JSON.parse(String(post)));
    if (question.user_id === userId || waiting >= MAX_WAITING) return;
    waiting += 1;
    last = last
      .then(() => answer(question))
      .catch((error: Error) => tell(error.message))
      .finally(() => {
        waiting -= 1;
      });
  };

  const socket = new WebSocket(`${baseUrl.replace(/^http/, "ws")}/api/chat/websocket`, {
    headers: { authorization: `Bearer ${token}` },
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout: 15_000,
  });
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", (error) => tell(error.message));
  socket.on("message", (data) => {
    try {
      onFrame(String(data));
    } catch {
      tell("a frame that can't be read was passed over");
    }
  });
  tell(`@${account} listens: mention it in a channel and name an article. Ctrl+C ends it.`);
  return {
    ended,
    async close() {
      socket.close();
      await ended;
      await last;
    },
  };
}
