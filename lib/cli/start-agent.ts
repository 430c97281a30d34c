import { WebSocket } from "ws";
import { ChatError, createChatClient, type Post } from "../chat-client/index.ts";
import { createReader, type Limits } from "./create-reader.ts";
import { keyOf, read, Sandbox } from "./pay-for-article.ts";
import { signText } from "./sign-text.ts";

const MAX_FRAME_BYTES = 1_000_000;
const MAX_WAITING = 20;

class AgentSocket extends WebSocket {
  constructor(url: string) {
    super(url, { maxPayload: MAX_FRAME_BYTES });
  }
}

type AgentOptions = { baseUrl: string; account: string; limits: Limits; tell: (line: string) => void };

/**
 * Signs an account of a running sandbox in and answers whoever mentions it, in the thread, with what it bought for that.
 * `ended` resolves when it is closed, or known no more. @throws Error, fit to be shown
 */
export async function startAgent({ baseUrl, account, limits, tell }: AgentOptions) {
  const sandbox = await read(`${baseUrl}/api/sandbox`, 200, Sandbox);
  const postingKey = keyOf(sandbox, account, "posting");
  const chat = createChatClient({
    baseUrl,
    login: { username: account, sign: (message) => signText(message, postingKey) },
    WebSocket: AgentSocket,
  });
  const reader = createReader(baseUrl, account, sandbox, limits);
  const { userId } = await chat.signIn();

  const answer = async (question: Post) => {
    const message = await reader
      .answer(question.message)
      .catch((error: Error) => `I failed: ${error.message}`);
    await chat.posts.create(question.channel_id, { message, rootId: question.root_id || question.id });
    tell(message);
  };

  let waiting = 0;
  let last = Promise.resolve();
  chat.on("posted", ({ post, mentions }) => {
    if (!mentions.includes(userId) || post.user_id === userId || waiting >= MAX_WAITING) return;
    waiting += 1;
    last = last
      .then(() => answer(post))
      .catch((error: Error) => tell(error.message))
      .finally(() => {
        waiting -= 1;
      });
  });
  chat.on("error", (error) =>
    tell(error instanceof ChatError ? error.message : "a frame that can't be read was passed over"),
  );
  const ended = new Promise<void>((resolve) => {
    chat.on("state", (state) => {
      if (state === "closed") resolve();
    });
  });
  const open = new Promise<void>((resolve) => {
    chat.on("gap", () => resolve());
  });
  chat.connect();
  await Promise.race([open, ended]);
  tell(`@${account} listens: mention it in a channel and name an article. Ctrl+C ends it.`);
  return {
    ended,
    async close() {
      chat.disconnect();
      await last;
    },
  };
}
