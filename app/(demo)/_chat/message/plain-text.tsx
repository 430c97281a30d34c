import Link from "next/link";
import { useRouter } from "next/navigation";
import { createContext, useContext } from "react";
import { toast } from "../../_ui/toast.tsx";
import { chatClient } from "../data/chat-client.ts";
import type { Post } from "../data/model.ts";
import { useChannels } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";
import { Mention } from "./mention.tsx";
import { splitMentions } from "./mentions.ts";

type PlainTextProps = { text: string; myName: string; isLine?: boolean };

/** Text as it was written, with emoji and mentions. With `isLine`, line breaks become spaces. */
export function PlainText({ text, myName, isLine = false }: PlainTextProps) {
  return (
    <span key={text} className={isLine ? undefined : "whitespace-pre-wrap"}>
      {splitMentions(text).map((part, index) =>
        part.kind === "channel" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
          <ChannelLink key={index} text={part.text} />
        ) : part.kind === "mention" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
          <Mention key={index} text={part.text} myName={myName} />
        ) : (
          emojify(part.text)
        ),
      )}
    </span>
  );
}

/** The titles of the public channels that a message mentions, by channel name, as Mattermost added them. */
type Titles = Readonly<Record<string, { display_name?: unknown }>>;
export const NamedChannels = createContext<Titles>({});

/** Returns a post's information about the channels that it mentions. */
export function channelsNamedIn({ props }: Post): Titles {
  const named = props?.channel_mentions;
  return typeof named === "object" && named !== null ? (named as Titles) : {};
}

const channelLook = "rounded bg-selected px-0.5 font-medium text-ink hover:underline";

/** A channel's name in a text, as a link to it if the reader is or could be a member. */
export function ChannelLink({ text }: { text: string }) {
  const { data } = useChannels();
  const titles = useContext(NamedChannels);
  const name = text.slice(1).toLowerCase();
  const channel = data?.find((one) => one.name === name && (one.type === "O" || one.type === "P"));
  const title = Object.hasOwn(titles, name) ? titles[name]?.display_name : undefined;
  if (channel)
    return (
      <Link href={`/chat/${channel.id}`} prefetch={false} className={channelLook}>
        ~{channel.displayName}
      </Link>
    );
  return data && typeof title === "string" ? <ChannelFinder name={name} title={title} /> : text;
}

const MOST_NAMESAKES = 50;

/**
 * A mentioned channel if only its name and title are known. Its address is requested when the reader follows
 * it.
 */
function ChannelFinder({ name, title }: { name: string; title: string }) {
  const router = useRouter();
  const open = async () => {
    const { channels } = await chatClient.channels.browse({ q: name, perPage: MOST_NAMESAKES });
    const found = channels.find((channel) => channel.name === name);
    if (found) router.push(`/chat/${found.id}`);
    else toast.error(strings.channel.linkFailed(name));
  };
  const fail = () => toast.error(strings.search.failed);
  return (
    <button
      type="button"
      className={`${channelLook} max-w-full text-start leading-5 select-text`}
      onClick={() => void open().catch(fail)}
    >
      ~{title}
    </button>
  );
}
