import { type CallerContext, createCallerContext, readOwnId } from "../chat/caller/caller-context.ts";
import { openDirect } from "../chat/channels/open-direct.ts";
import { readVisiblePost } from "../chat/posts/post.ts";
import { readPostsPage } from "../chat/posts/read-posts-page.ts";
import { writePost } from "../chat/posts/write-post.ts";
import type { Tip } from "../contract/payment-answers.ts";
import { hasCode } from "../errors.ts";
import { admitToken } from "../http/route.ts";
import { log } from "../log.ts";
import { readerLanguage } from "../services/paywall-terms.ts";
import type { Services } from "../services/services.ts";
import { withLock } from "../store/lock.ts";

/** As long as a paywall can deliver the same payment again. */
const MARKED_SECONDS = 31 * 24 * 3600;
/**
 * The prefix of a mark while the message is being sent, followed by the time. Earlier versions wrote an empty
 * mark.
 */
const BEGUN = "begun ";
/** Exceeds any likely difference between the clocks of the gateway and Mattermost. */
const SKEW_MS = 10_000;
/** Maximum number of the conversation's newest messages to check; few messages follow a failed attempt. */
const MOST_LOOKED_AT = 60;
/** Time to wait for another delivery of the same tip, which may be sending the message. */
const PATIENCE_MS = 20_000;
const markOf = (txId: string) => `demo:tip-told:${txId}`;

/** The message in the conversation, in the tipper's language. */
export const tipNotes = {
  en: (amount: string, payer: string, link: string | null) =>
    `A tip for you: ${amount} from @${payer}${link === null ? "" : `, for ${link}`}`,
  es: (amount: string, payer: string, link: string | null) =>
    `Una propina para ti: ${amount} de @${payer}${link === null ? "" : `, por ${link}`}`,
} as const;

/**
 * Reports a tip in the conversation with its recipient, as the chat user whose token came with the payment.
 * The message is sent only once, however often the tip is delivered, and even if the tipper has closed the
 * page. Returns false if it could not be sent, and undefined if no one is signed in or the recipient tips
 * themselves.
 */
export async function tellTip(
  services: Services,
  request: Request,
  { to, amount, payer, txId, post }: Tip,
): Promise<boolean | undefined> {
  const pat = tokenOf(services, request);
  if (pat === null) return undefined;
  const { store } = services;
  const mark = markOf(txId);
  try {
    // The message is sent without the request's signal, which aborts when the page closes.
    const context = await createCallerContext(services.chat, pat);
    if ((await context.chat.identities.accountOf(await readOwnId(context))) === to) return undefined;
    return await withLock(store, `${mark}:lock`, AbortSignal.timeout(PATIENCE_MS), async () => {
      const present = await store.get(mark);
      if (present !== null && !present.startsWith(BEGUN)) return true;
      const begunAtMs = present === null ? null : Number(present.slice(BEGUN.length));
      if (begunAtMs === null) await store.set(mark, `${BEGUN}${context.chat.now()}`, MARKED_SECONDS);
      const { channelId } = await openDirect(context, to);
      const link = post === undefined ? null : await linkTo(services, context, post);
      const message = tipNotes[readerLanguage(request)](amount, payer, link);
      const isThere = begunAtMs !== null && (await isSaid(context, channelId, message, begunAtMs));
      if (!isThere) await writePost(context, channelId, { message });
      await store.set(mark, "told", MARKED_SECONDS);
      return true;
    });
  } catch (err) {
    log().warn({ err }, "the recipient of a tip could not be notified");
    return false;
  }
}

/** Returns whether an earlier attempt, which crashed or lost its answer, has sent the message. */
async function isSaid(
  context: CallerContext,
  channelId: string,
  message: string,
  sinceMs: number,
): Promise<boolean> {
  const own = await readOwnId(context);
  const { posts } = await readPostsPage(context, channelId, { perPage: MOST_LOOKED_AT });
  return posts.some(
    (post) => post.user_id === own && post.message === message && post.create_at > sinceMs - SKEW_MS,
  );
}

function tokenOf({ http }: Services, request: Request): string | null {
  try {
    return admitToken(request, http);
  } catch {
    return null;
  }
}

/** Returns the address of a message in the chat, or null for a deleted one. */
async function linkTo({ config }: Services, context: CallerContext, postId: string): Promise<string | null> {
  try {
    const { channel_id } = await readVisiblePost(context, postId);
    return `${config.publicUrl}/chat/${channel_id}?post=${postId}`;
  } catch (error) {
    if (hasCode(error, "not_found")) return null;
    throw error;
  }
}
