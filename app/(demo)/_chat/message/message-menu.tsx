"use client";

import { clsx } from "clsx";
import {
  Copy,
  EllipsisVertical,
  HandCoins,
  Languages,
  Link2,
  Mail,
  MessageSquareReply,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from "lucide-react";
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { useFreshTips } from "../../_pay/tip-counts.ts";
import { TipOpener } from "../../_pay/tip-opener.tsx";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { Opener } from "../../_ui/opener.tsx";
import { Menu, MenuItem } from "../../_ui/popups.tsx";
import { useChat } from "../chat-context.ts";
import { EmojiButton } from "../composer/emoji-button.tsx";
import { type Post, wordsOf } from "../data/model.ts";
import { useUser } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { QuickReactions, useMessageActs, useReact, useUnreadKey } from "./message-acts.tsx";
import { MessageText, shorten } from "./message-text.tsx";

/**
 * The bar over a message: quick reactions, reply, and a menu of the rest. `onPin` keeps it while something is open.
 * One that is not shown keeps the focus that is in it.
 */
export function MessageToolbar({
  post,
  isInThread,
  isShown,
  onPin,
}: {
  post: Post;
  isInThread: boolean;
  isShown: boolean;
  onPin: (isPinned: boolean) => void;
}) {
  const acts = useMessageActs(post);
  const PinIcon = acts.isPinned ? PinOff : Pin;
  const author = useUser(post.user_id);
  const react = useReact(post);
  useFreshTips(post.id);
  useUnreadKey(post, acts);
  const [isRemoving, setIsRemoving] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const unpin = useEffectEvent(() => onPin(false));
  useEffect(() => {
    if (!isRemoving) return;
    // The bar stays until the dialog has given the focus back to it.
    return () => {
      setTimeout(unpin);
    };
  }, [isRemoving]);
  return (
    <div
      role="toolbar"
      aria-label={strings.message.actions}
      className={clsx(
        "column-end absolute -top-4 z-10 flex items-center rounded-xl border border-line bg-raised p-0.5 shadow-lift",
        !isShown && "pointer-events-none opacity-0",
      )}
    >
      {acts.isMember && (
        <>
          <span className="hidden sm:contents">
            <QuickReactions onReact={react} />
          </span>
          <EmojiButton label={strings.message.react} onOpenChange={onPin} onName={react} isSmall />
        </>
      )}
      {!isInThread && (
        <IconButton label={strings.message.reply} size="small" onClick={acts.reply}>
          <MessageSquareReply aria-hidden size={17} />
        </IconButton>
      )}
      {!acts.isOwn && author && (
        <TipOpener toUsername={author.username} postUrl={acts.address()} onOpenChange={onPin}>
          <IconButton label={strings.message.tip} size="small">
            <HandCoins aria-hidden size={17} />
          </IconButton>
        </TipOpener>
      )}
      <Opener
        kind="menu"
        onOpenChange={onPin}
        part={(opened) => (
          <Menu opened={opened}>
            <MenuItem icon={<Link2 aria-hidden size={16} />} onSelect={acts.copyLink}>
              {strings.message.copyLink}
            </MenuItem>
            <MenuItem icon={<Copy aria-hidden size={16} />} onSelect={acts.copyText}>
              {strings.message.copyText}
            </MenuItem>
            {acts.mayMarkUnread && (
              <MenuItem icon={<Mail aria-hidden size={16} />} onSelect={acts.markUnread}>
                {strings.message.markUnread}
              </MenuItem>
            )}
            {acts.isMember && (
              <MenuItem icon={<PinIcon aria-hidden size={16} />} onSelect={acts.pin}>
                {acts.isPinned ? strings.message.unpin : strings.message.pin}
              </MenuItem>
            )}
            {acts.mayTranslate && (
              <MenuItem icon={<Languages aria-hidden size={16} />} onSelect={acts.translate}>
                {strings.translation[acts.isTranslated ? "original" : "translate"]}
              </MenuItem>
            )}
            {acts.mayEdit && (
              <MenuItem icon={<Pencil aria-hidden size={16} />} onSelect={acts.edit}>
                {strings.message.edit}
              </MenuItem>
            )}
            {acts.mayRemove && (
              <MenuItem
                isDanger
                icon={<Trash2 aria-hidden size={16} />}
                onSelect={() => {
                  setIsRemoving(true);
                  // The menu lets go of the bar as it closes, and the dialog takes it over.
                  setTimeout(() => onPin(true));
                }}
              >
                {strings.message.remove}
              </MenuItem>
            )}
          </Menu>
        )}
      >
        <IconButton ref={menu} label={strings.message.more} size="small">
          <EllipsisVertical aria-hidden size={17} />
        </IconButton>
      </Opener>
      {isRemoving && <RemoveDialog post={post} menu={menu} onClose={() => setIsRemoving(false)} />}
    </div>
  );
}

/** Asks before a message is deleted; a moderator reads why they may. */
function RemoveDialog({
  post,
  menu,
  onClose,
}: {
  post: Post;
  /** The button of the menu that asks, if one does. */
  menu?: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const { me, removals } = useChat();
  const remove = useRef<HTMLButtonElement>(null);
  const confirm = () => {
    removals.start(post);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={strings.message.removeTitle}
      description={strings.message.removeText}
      initialFocus={remove}
      returnFocus={menu}
    >
      {post.user_id !== me.id && (
        <p className="mb-4 rounded-lg bg-selected p-3 text-sm">{strings.message.removeAsModerator}</p>
      )}
      <blockquote
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message scrolls, also by keyboard
        tabIndex={0}
        dir="auto"
        aria-label={strings.message.removed}
        className="isolate mb-5 max-h-44 overflow-auto border-s-4 border-line-strong py-0.5 ps-3 text-md [overflow-wrap:anywhere]"
      >
        <MessageText text={shorten(wordsOf(post))} myName={me.username} />
      </blockquote>
      <div className="flex justify-end gap-3">
        <Button onClick={onClose}>{strings.message.cancel}</Button>
        <Button ref={remove} tone="danger" onClick={confirm}>
          {strings.message.remove}
        </Button>
      </div>
    </Dialog>
  );
}

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
      className={`flex h-12 w-full items-center gap-3 rounded-lg px-3 text-start hover:bg-sunken ${isDanger ? "text-danger" : ""}`}
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
  const PinIcon = acts.isPinned ? PinOff : Pin;
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
      {acts.mayMarkUnread && (
        <SheetButton icon={<Mail aria-hidden size={18} />} onClick={after(acts.markUnread)}>
          {strings.message.markUnread}
        </SheetButton>
      )}
      {acts.isMember && (
        <SheetButton icon={<PinIcon aria-hidden size={18} />} onClick={after(acts.pin)}>
          {acts.isPinned ? strings.message.unpin : strings.message.pin}
        </SheetButton>
      )}
      {acts.mayTranslate && (
        <SheetButton icon={<Languages aria-hidden size={18} />} onClick={after(acts.translate)}>
          {strings.translation[acts.isTranslated ? "original" : "translate"]}
        </SheetButton>
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
