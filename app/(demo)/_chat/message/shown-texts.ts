import { textsForMentions } from "#lib/mention-words.ts";
import { channelNews } from "../data/channel-news.ts";
import { isSystemPost, type Post, wordsOf } from "../data/model.ts";
import { shorten } from "./shorten.ts";

/** Returns the texts of a post as a list of messages shows them at first: its own and those of its cards. */
export function shownTextsOf(post: Post): string[] {
  if (post.deleteAt > 0) return [];
  if (isSystemPost(post)) return [channelNews(post) ?? post.message];
  const cards = textsForMentions({ message: "", props: post.props });
  return [wordsOf(post), ...cards].map((text) => shorten(text));
}
