import { WebSocket } from "ws";
import { type ChatClient, ChatError, createChatClient, type Post } from "../chat-client/index.ts";
import type { Article, Articles, Sandbox, SandboxChain } from "../contract/payment-answers.ts";
import { signText } from "../hive/private-key.ts";
import { addMils, formatMils, NO_MILS, parseMils } from "../mils.ts";
import { createPayingFetch, PaymentError } from "../x402/client/index.ts";
import { keyOf } from "./pay-for-article.ts";

const MAX_FRAME_BYTES = 1_000_000;
const MAX_WAITING = 20;

class AgentSocket extends WebSocket {
  constructor(url: string) {
    super(url, { maxPayload: MAX_FRAME_BYTES });
  }
}

type AgentOptions = { baseUrl: string; account: string; limits: Limits; tell: (line: string) => void };

/**
 * Signs in an account of a running sandbox and answers anyone who mentions it, in the same thread, from
 * articles that it buys. `ended` resolves when the agent is closed or signed out. @throws Error with a
 * printable message
 */
export async function startAgent({ baseUrl, account, limits, tell }: AgentOptions) {
  let postingKey = "";
  const chat = createChatClient({
    baseUrl,
    login: { username: account, sign: (message) => signWith(postingKey, message) },
    WebSocket: AgentSocket,
  });
  const sandbox = await readSandbox(chat, baseUrl);
  postingKey = keyOf(sandbox, account, "posting");
  const reader = createReader(chat, baseUrl, account, sandbox, limits);
  const { userId } = await chat.signIn();

  const answer = async (question: Post) => {
    const message = await reader
      .answer(question.message)
      .catch((error: Error) => `I failed: ${error.message}`);
    await chat.posts.create(question.channelId, { message, rootId: question.rootId || question.id });
    tell(message);
  };

  let waiting = 0;
  let last = Promise.resolve();
  chat.on("posted", ({ post, mentions }) => {
    if (!mentions.includes(userId) || post.userId === userId || waiting >= MAX_WAITING) return;
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

type SandboxWithChain = Sandbox & { chain: SandboxChain };

async function readSandbox(chat: ChatClient, baseUrl: string): Promise<SandboxWithChain> {
  const { chain, ...sandbox } = await chat.request<Sandbox>("/api/sandbox").catch((cause: unknown) => {
    const isAway = cause instanceof ChatError && cause.code === "offline";
    const fault = isAway ? "can't be reached" : "is no running sandbox";
    throw new Error(`${baseUrl} ${fault}; start the sandbox with npm run quickstart`, { cause });
  });
  if (!chain) throw new Error("this sandbox has no chain: nothing can be bought on it");
  return { ...sandbox, chain };
}

const SUMMARY_CHARACTERS = 240;
const PAID_WITHIN_MS = 60_000;

/** Spending limits: for one article, and in total. */
type Limits = { maxPayment: string; budget: string };

/**
 * Creates a reader that buys the article that a question names, and answers the question from it in Markdown.
 */
function createReader(
  chat: ChatClient,
  baseUrl: string,
  account: string,
  sandbox: SandboxWithChain,
  limits: Limits,
) {
  let spentMils = NO_MILS;
  let payments = 0;
  const pay = createPayingFetch({
    account,
    activeKey: keyOf(sandbox, account, "active"),
    // Lets the agent return to its purchases without paying again.
    postingKey: keyOf(sandbox, account, "posting"),
    onPayment: () => {
      payments += 1;
    },
    nodes: [sandbox.chain.url],
    chainId: sandbox.chain.chainId,
    maxPayment: limits.maxPayment,
    budget: { perHost: limits.budget },
    allowedHosts: [new URL(baseUrl).host],
  });
  const spent = () => `Spent so far: ${formatMils(spentMils)} of ${limits.budget}.`;

  const buy = async (slug: string, price: string) => {
    const paidBefore = payments;
    const response = await pay(`${baseUrl}/api/demo/articles/${slug}`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(PAID_WITHIN_MS),
    });
    if (response.status !== 200) return `The shop answered ${response.status}. ${spent()}`;
    const { title, body, txId } = (await response.json()) as Article;
    const hasPaid = payments > paidBefore;
    if (hasPaid) spentMils = addMils(spentMils, parseMils(price) ?? NO_MILS);
    const start = body
      .slice(0, SUMMARY_CHARACTERS)
      .replace(/\s+\S*$/, "")
      .replaceAll("\n", " ");
    return [
      `**${title}** begins: ${start}…`,
      `Read on: ${baseUrl}/articles/${slug}`,
      `${hasPaid ? `I paid ${price}` : "I had bought it before, so it cost nothing"}, transaction \`${txId}\`. ${spent()}`,
    ].join("\n\n");
  };

  return {
    async answer(question: string): Promise<string> {
      const { articles } = await chat.request<Articles>("/api/demo/articles");
      const asked = question.toLowerCase();
      const wanted = articles.find(
        ({ slug, title }) => asked.includes(slug) || asked.includes(title.toLowerCase()),
      );
      if (!wanted) {
        const names = articles.map(({ slug, title, price }) => `- \`${slug}\`: ${title}, ${price}`);
        return ["Name one of these, and I buy and read it:", ...names].join("\n");
      }
      try {
        return await buy(wanted.slug, wanted.price);
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return `I do not buy "${wanted.title}" for ${wanted.price}: ${error.message} ${spent()}`;
      }
    },
  };
}

/**
 * Returns the signature (hex) of a text by a WIF key.
 * @throws TypeError, which does not contain the key, if the key is not in WIF
 */
function signWith(wif: string, text: string): string {
  const signature = signText(text, wif);
  if (signature === null) throw new TypeError("the posting key is not a private key in WIF");
  return signature;
}
