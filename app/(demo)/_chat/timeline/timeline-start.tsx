"use client";

import { Hash, Link2, Lock, PenLine, Users } from "lucide-react";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { useChat } from "../chat-context.ts";
import { focusComposer } from "../composer/focus-composer.ts";
import { copyLink } from "../copy.ts";
import { channelName } from "../data/channels.ts";
import { fullNameOf, type ShownChannel } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { longDate } from "../data/times.ts";
import { MessageText } from "../message/message-text.tsx";
import { shorten } from "../message/shorten.ts";
import { Person } from "../people/faces.tsx";
import { strings } from "../strings.en.ts";

const { start } = strings.timeline;

type TimelineStartProps = {
  shown: ShownChannel;
  isMember: boolean;
  /** True if the conversation has no messages yet. */
  isSilent: boolean;
};

/** The introduction above the first message of a conversation: its name, its purpose, and the next steps. */
export function TimelineStart({ shown, isMember, isSilent }: TimelineStartProps) {
  const { me } = useChat();
  const name = channelName(shown, me.id);
  const person = shown.directUser;
  const about = shown.purpose || shown.header;
  const isOwn = person?.id === me.id;
  const kind = isOwn ? "self" : shown.type;
  const fullName = person && fullNameOf(person);
  return (
    <div className="column pt-10 pb-3" dir="auto">
      <StartPicture shown={shown} />
      <h2 className="mt-3 text-lg font-semibold text-balance [overflow-wrap:anywhere]">
        {start.heading[kind](name)}
      </h2>
      {fullName && <p className="text-ink-soft [overflow-wrap:anywhere]">{fullName}</p>}
      {about && (
        <div className="mt-2 max-w-prose text-md [overflow-wrap:anywhere]">
          <MessageText text={shorten(about)} myName={me.username} />
        </div>
      )}
      <p className="mt-2 max-w-prose text-sm text-ink-soft">
        <span>{start.readers[kind]}</span>
        {"createAt" in shown && <span>{` ${start.since(longDate(shown.createAt))}`}</span>}
      </p>
      <div className="mt-4 flex flex-wrap gap-3 empty:hidden">
        {isMember && isSilent && (
          <Button tone="primary" onClick={() => focusComposer("")}>
            <PenLine aria-hidden size={16} />
            {kind === "D" ? start.greet(name) : start.write}
          </Button>
        )}
        {shown.type === "O" && (
          <Button onClick={() => void copyLink(`/chat/${shown.id}`)}>
            <Link2 aria-hidden size={16} />
            {start.invite}
          </Button>
        )}
      </div>
    </div>
  );
}

const icons = { O: Hash, P: Lock, G: Users, D: Users };

/** The large picture of a conversation: the partner's, which opens their card, or the icon of its kind. */
function StartPicture({ shown }: { shown: ShownChannel }) {
  const person = shown.directUser;
  if (person)
    return (
      <Person userId={person.id}>
        <button
          type="button"
          aria-label={strings.message.profileOf(person.username)}
          className="block rounded-full"
        >
          <Avatar size="large" name={person.username} imageUrl={pictureOf(person)} />
        </button>
      </Person>
    );
  const Icon = icons[shown.type];
  return (
    <span className="inline-flex size-14 items-center justify-center rounded-2xl bg-sunken text-ink-soft">
      <Icon aria-hidden size={28} />
    </span>
  );
}
