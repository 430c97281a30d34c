"use client";

import { Dialog } from "../../_ui/dialog.tsx";
import { useChat } from "../chat-context.ts";
import { MessageText } from "../message/message-text.tsx";
import { strings } from "../strings.en.ts";

type AboutDialogProps = {
  name: string;
  purpose: string;
  header: string;
  memberCount: number | undefined;
  onClose: () => void;
};

/** Everything that a channel says of itself. */
export function AboutDialog({ name, purpose, header, memberCount, onClose }: AboutDialogProps) {
  const { me } = useChat();
  const parts = [
    [strings.channel.purpose, purpose],
    [strings.channel.header, header],
  ] as const;
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={name}
      {...(memberCount !== undefined && { description: strings.channel.members(memberCount) })}
    >
      {parts.map(
        ([heading, text]) =>
          text !== "" && (
            <section key={heading} className="mb-4">
              <h3 className="mb-1 text-xs font-semibold tracking-wide text-ink-faint uppercase">{heading}</h3>
              <div dir="auto" className="text-md [overflow-wrap:anywhere]">
                <MessageText text={text} myName={me.username} />
              </div>
            </section>
          ),
      )}
      {purpose === "" && header === "" && <p className="text-sm text-ink-soft">{strings.channel.noAbout}</p>}
    </Dialog>
  );
}
