import { openDirect } from "../chat/channels/open-direct.ts";
import { readVisiblePost } from "../chat/posts/post.ts";
import { readPostsPage } from "../chat/posts/read-posts-page.ts";
import { writePost } from "../chat/posts/write-post.ts";
import { openSession, readOwnId, type Session } from "../chat/session/session.ts";
import type { Tip } from "../contract/payment-answers.ts";
import { hasCode } from "../errors.ts";
import { admitToken } from "../http/route.ts";
import { log } from "../log.ts";
import { readerLanguage } from "../services/paywall-terms.ts";
import type { Services } from "../services/services.ts";
import { withLock } from "../store/lock.ts";

/** As long as a paywall may deliver the same payment again. */
const MARKED_SECONDS = 31 * 24 * 3600;
/** What the mark holds while a message is being sent, with the time; earlier versions wrote an empty one before that. */
const BEGUN = "begun ";
/** More than the clocks of the gateway and Mattermost may differ. */
const SKEW_MS = 10_000;
/** Of a conversation, by the newest; there are seldom more after a try that failed. */
const MOST_LOOKED_AT = 60;
/** Another delivery of the same tip may be at it. */
const PATIENCE_MS = 20_000;
const markOf = (txId: string) => `demo:tip-told:${txId}`;

/** What stands in the conversation, in the giver's language. */
export const tipNotes = {
  en: (amount: string, payer: string, link: string | null) =>
    `A tip for you: ${amount} from @${payer}${link === null ? "" : `, for ${link}`}`,
  es: (amount: string, payer: string, link: string | null) =>
    `Una propina para ti: ${amount} de @${payer}${link === null ? "" : `, por ${link}`}`,
} as const;

/**
 * Says in the conversation with whoever got a tip what they got, as the chat user whose token came with the payment: once,
 * however often the tip is delivered, and whether its giver's page is still open or not. False where it could not be said;
 * undefined where nobody is signed in, or nobody else than who got it.
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
    // Not with the request's signal: it goes with the page.
    const session = await openSession(services.chat, pat);
    if ((await session.gateway.identities.accountOf(await readOwnId(session))) === to) return undefined;
    return await withLock(store, `${mark}:lock`, AbortSignal.timeout(PATIENCE_MS), async () => {
      const present = await store.get(mark);
      if (present !== null && !present.startsWith(BEGUN)) return true;
      const begunAtMs = present === null ? null : Number(present.slice(BEGUN.length));
      if (begunAtMs === null) await store.set(mark, `${BEGUN}${session.gateway.now()}`, MARKED_SECONDS);
      const { channelId } = await openDirect(session, to);
      const link = post === undefined ? null : await linkTo(services, session, post);
      const message = tipNotes[readerLanguage(request)](amount, payer, link);
      const isThere = begunAtMs !== null && (await isSaid(session, channelId, message, begunAtMs));
      if (!isThere) await writePost(session, channelId, { message });
      await store.set(mark, "told", MARKED_SECONDS);
      return true;
    });
  } catch (err) {
    log().warn({ err }, "whoever got a tip could not be told");
    return false;
  }
}

/** Returns whether an earlier try, which died or lost its answer, has said it. */
async function isSaid(
  session: Session,
  channelId: string,
  message: string,
  sinceMs: number,
): Promise<boolean> {
  const own = await readOwnId(session);
  const { posts } = await readPostsPage(session, channelId, { perPage: MOST_LOOKED_AT });
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

/** The address of a message in the chat; null for one that is gone. */
async function linkTo({ config }: Services, session: Session, postId: string): Promise<string | null> {
  try {
    const { channel_id } = await readVisiblePost(session, postId);
    return `${config.publicUrl}/chat/${channel_id}?post=${postId}`;
  } catch (error) {
    if (hasCode(error, "not_found")) return null;
    throw error;
  }
}
