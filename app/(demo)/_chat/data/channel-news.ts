import { textsForMentions } from "#lib/mention-words.ts";
import { strings } from "../strings.en.ts";
import { type Post, wordsOf } from "./model.ts";

const { news } = strings;

/**
 * Sentences for Mattermost's notices about a channel, by the kind of post, from the author's name and the
 * post.
 */
const sentences: Readonly<Record<string, (who: string, post: Post) => string | null>> = {
  system_displayname_change: (who, post) => {
    const name = textIn(post, "new_displayname");
    return name ? news.renamed(who, name) : null;
  },
  system_header_change: (who, post) => changed(textIn(post, "new_header"), who, news.header),
  system_purpose_change: (who, post) => changed(textIn(post, "new_purpose"), who, news.purpose),
  system_channel_deleted: (who) => news.archived(who),
  system_channel_restored: (who) => news.restored(who),
  system_change_chan_privacy: (who, { message }) => {
    // Only the notice's text, in the server's language, says which way the channel changed.
    if (/\bprivate channel\b/i.test(message)) return news.madePrivate(who);
    return /\bpublic channel\b/i.test(message) ? news.madePublic(who) : null;
  },
};

function textIn({ props }: Post, name: string): string | undefined {
  const text = props?.[name];
  return typeof text === "string" ? text : undefined;
}

type Change = { set: (who: string, text: string) => string; removed: (who: string) => string };

function changed(text: string | undefined, who: string, told: Change): string | null {
  if (text === undefined) return null;
  return text.trim() === "" ? told.removed(who) : told.set(who, text);
}

/**
 * Returns Mattermost's notice in the reader's language, as Markdown like the users' own texts. Returns null
 * if the kind is unknown or information is missing.
 */
export function channelNews(post: Post): string | null {
  const sentence = Object.hasOwn(sentences, post.type) ? sentences[post.type] : undefined;
  const who = textIn(post, "username");
  return sentence && who ? sentence(who, post) : null;
}

/**
 * Returns a post as plain words: its message or, without one, the text of its cards or the names of its
 * pictures and files.
 */
export function saidIn(
  post: Pick<Post, "message" | "metadata"> & Partial<Pick<Post, "type" | "props">>,
): string {
  const { message, metadata, props } = post;
  if (message.trim() !== "") return wordsOf(post);
  const cards = textsForMentions({ message: "", props });
  if (cards.length > 0) return cards.join("\n");
  const names = (metadata?.files ?? []).map(({ name, mimeType }) =>
    mimeType?.startsWith("image/") ? strings.pictureAlone(name) : name,
  );
  return names.join("\n");
}
