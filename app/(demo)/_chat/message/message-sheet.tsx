"use client";

import { Copy, HandCoins, Link2, MessageSquareReply, Pencil, Trash2 } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { useFreshTips } from "../../_pay/tip-counts.ts";
import { TipOpener } from "../../_pay/tip-opener.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { EmojiButton } from "../composer/emoji-button.tsx";
import type { Post } from "../data/model.ts";
import { useUser } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { QuickReactions, useMessageActs, useReact } from "./message-acts.tsx";
import { RemoveDialog } from "./remove-message.tsx";

function SheetButton({
  icon,
  isDanger = false,
  children,
  ...rest
}: ComponentProps<"button"> & { icon: ReactNode; isDanger?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      className={`flex h-12 w-full items-center gap-3 rounded-lg px-3 text-left hover:bg-sunken ${isDanger ? "text-danger" : ""}`}
    >
      {icon}
      {children}
    </button>
  );
}

/** The actions of a message on a touch screen, after a long press. */
export function MessageSheet({
  post,
  isInThread,
  onClose,
}: {
  post: Post;
  isInThread: boolean;
  onClose: () => void;
}) {
  const acts = useMessageActs(post);
  const author = useUser(post.user_id);
  const react = useReact(post);
  useFreshTips(post.id);
  const [isRemoving, setIsRemoving] = useState(false);
  const after = (act: () => void) => () => {
    act();
    onClose();
  };
  const reactAndClose = (name: string) => after(() => react(name))();
  if (isRemoving) return <RemoveDialog post={post} onClose={onClose} />;
  return (
    <Dialog isOpen onOpenChange={onClose} title={strings.message.actions}>
      {acts.isMember && (
        <div className="mb-2 flex justify-between">
          <QuickReactions onReact={reactAndClose} />
          <EmojiButton label={strings.message.react} onName={reactAndClose} />
        </div>
      )}
      {!isInThread && (
        <SheetButton icon={<MessageSquareReply aria-hidden size={18} />} onClick={after(acts.reply)}>
          {strings.message.reply}
        </SheetButton>
      )}
      <SheetButton icon={<Link2 aria-hidden size={18} />} onClick={after(acts.copyLink)}>
        {strings.message.copyLink}
      </SheetButton>
      <SheetButton icon={<Copy aria-hidden size={18} />} onClick={after(acts.copyText)}>
        {strings.message.copyText}
      </SheetButton>
      {!acts.isOwn && author && (
        <TipOpener toUsername={author.username} postUrl={acts.address()}>
          <SheetButton icon={<HandCoins aria-hidden size={18} />}>{strings.message.tip}</SheetButton>
        </TipOpener>
      )}
      {acts.mayEdit && (
        <SheetButton icon={<Pencil aria-hidden size={18} />} onClick={after(acts.edit)}>
          {strings.message.edit}
        </SheetButton>
      )}
      {acts.mayRemove && (
        <SheetButton isDanger icon={<Trash2 aria-hidden size={18} />} onClick={() => setIsRemoving(true)}>
          {strings.message.remove}
        </SheetButton>
      )}
    </Dialog>
  );
}
