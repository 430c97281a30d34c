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
  SmilePlus,
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
import { isAct, type Post, wordsOf } from "../data/model.ts";
import { useUser } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { QuickReactions, useMessageActions, useReact, useUnreadKey } from "./message-actions.tsx";
import { MessageText } from "./message-text.tsx";
import { ReactionsDialog } from "./reactions-dialog.tsx";
import { shorten } from "./shorten.ts";

/**
 * The bar above a message: quick reactions, reply, and a menu of further actions. It overlaps the message by
 * the room above its text, so that the mouse can reach it, and moves down only where the list would cut it off.
 * `onPin` keeps the bar visible while something is open. A hidden bar keeps a focus that is inside it.
 */
export function MessageToolbar({
  post,
  isInThread,
  isGrouped,
  isShown,
  onPin,
}: {
  post: Post;
  isInThread: boolean;
  /** True if the message continues those of its author above, and does not name them again. */
  isGrouped: boolean;
  isShown: boolean;
  onPin: (isPinned: boolean) => void;
}) {
  const actions = useMessageActions(post);
  const PinIcon = actions.isPinned ? PinOff : Pin;
  const author = useUser(post.userId);
  const react = useReact(post);
  useFreshTips(post.id);
  useUnreadKey(post, actions);
  const [asked, setAsked] = useState<"remove" | "reactions" | null>(null);
  const menu = useRef<HTMLButtonElement>(null);
  const unpin = useEffectEvent(() => onPin(false));
  const ask = (dialog: "remove" | "reactions") => {
    setAsked(dialog);
    // The menu releases the bar as it closes, and the dialog pins it again.
    setTimeout(() => onPin(true));
  };
  useEffect(() => {
    if (asked === null) return;
    // The bar stays until the dialog has returned the focus to it.
    return () => {
      setTimeout(unpin);
    };
  }, [asked]);
  return (
    <div
      className={clsx(
        "column-end pointer-events-none absolute bottom-0 z-10",
        isGrouped || isAct(post) ? "-top-9 pointer-coarse:-top-12" : "-top-7 pointer-coarse:-top-10",
      )}
    >
      <div
        role="toolbar"
        aria-label={strings.message.actions}
        className={clsx(
          "sticky top-0 flex items-center rounded-xl border border-line bg-raised p-0.5 shadow-lift",
          isShown ? "pointer-events-auto" : "opacity-0",
        )}
      >
        {actions.isMember && (
          <>
            <span className="hidden sm:contents">
              <QuickReactions post={post} onReact={react} />
            </span>
            <EmojiButton label={strings.message.react} onOpenChange={onPin} onName={react} isSmall />
          </>
        )}
        {!isInThread && (
          <IconButton label={strings.message.reply} size="small" onClick={actions.reply}>
            <MessageSquareReply aria-hidden size={17} />
          </IconButton>
        )}
        {!actions.isOwn && author && (
          <TipOpener toUsername={author.username} postUrl={actions.address()} onOpenChange={onPin}>
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
              <MenuItem icon={<Link2 aria-hidden size={16} />} onSelect={actions.copyLink}>
                {strings.message.copyLink}
              </MenuItem>
              <MenuItem icon={<Copy aria-hidden size={16} />} onSelect={actions.copyText}>
                {strings.message.copyText}
              </MenuItem>
              {actions.hasReactions && (
                <MenuItem icon={<SmilePlus aria-hidden size={16} />} onSelect={() => ask("reactions")}>
                  {strings.message.reactions}
                </MenuItem>
              )}
              {actions.mayMarkUnread && (
                <MenuItem icon={<Mail aria-hidden size={16} />} onSelect={actions.markUnread}>
                  {strings.message.markUnread}
                </MenuItem>
              )}
              {actions.isMember && (
                <MenuItem icon={<PinIcon aria-hidden size={16} />} onSelect={actions.pin}>
                  {actions.isPinned ? strings.message.unpin : strings.message.pin}
                </MenuItem>
              )}
              {actions.mayTranslate && (
                <MenuItem icon={<Languages aria-hidden size={16} />} onSelect={actions.translate}>
                  {strings.translation[actions.isTranslated ? "original" : "translate"]}
                </MenuItem>
              )}
              {actions.mayEdit && (
                <MenuItem icon={<Pencil aria-hidden size={16} />} onSelect={actions.edit}>
                  {strings.message.edit}
                </MenuItem>
              )}
              {actions.mayRemove && (
                <MenuItem isDanger icon={<Trash2 aria-hidden size={16} />} onSelect={() => ask("remove")}>
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
        {asked === "remove" && <RemoveDialog post={post} menu={menu} onClose={() => setAsked(null)} />}
        {asked === "reactions" && <ReactionsDialog post={post} menu={menu} onClose={() => setAsked(null)} />}
      </div>
    </div>
  );
}

/** Asks for confirmation before a message is deleted, and tells moderators why they may delete it. */
function RemoveDialog({
  post,
  menu,
  onClose,
}: {
  post: Post;
  /** The menu button that opened the dialog, if any. */
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
      {post.userId !== me.id && (
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
  const actions = useMessageActions(post);
  const PinIcon = actions.isPinned ? PinOff : Pin;
  const author = useUser(post.userId);
  const react = useReact(post);
  useFreshTips(post.id);
  const [asked, setAsked] = useState<"remove" | "reactions" | null>(null);
  const after = (act: () => void) => () => {
    act();
    onClose();
  };
  const reactAndClose = (name: string) => after(() => react(name))();
  if (asked === "remove") return <RemoveDialog post={post} onClose={onClose} />;
  if (asked === "reactions") return <ReactionsDialog post={post} onClose={onClose} />;
  return (
    <Dialog isOpen onOpenChange={onClose} title={strings.message.actions}>
      {actions.isMember && (
        <div className="mb-2 flex justify-between">
          <QuickReactions post={post} onReact={reactAndClose} />
          <EmojiButton label={strings.message.react} onName={reactAndClose} />
        </div>
      )}
      {!isInThread && (
        <SheetButton icon={<MessageSquareReply aria-hidden size={18} />} onClick={after(actions.reply)}>
          {strings.message.reply}
        </SheetButton>
      )}
      <SheetButton icon={<Link2 aria-hidden size={18} />} onClick={after(actions.copyLink)}>
        {strings.message.copyLink}
      </SheetButton>
      <SheetButton icon={<Copy aria-hidden size={18} />} onClick={after(actions.copyText)}>
        {strings.message.copyText}
      </SheetButton>
      {!actions.isOwn && author && (
        <TipOpener toUsername={author.username} postUrl={actions.address()}>
          <SheetButton icon={<HandCoins aria-hidden size={18} />}>{strings.message.tip}</SheetButton>
        </TipOpener>
      )}
      {actions.hasReactions && (
        <SheetButton icon={<SmilePlus aria-hidden size={18} />} onClick={() => setAsked("reactions")}>
          {strings.message.reactions}
        </SheetButton>
      )}
      {actions.mayMarkUnread && (
        <SheetButton icon={<Mail aria-hidden size={18} />} onClick={after(actions.markUnread)}>
          {strings.message.markUnread}
        </SheetButton>
      )}
      {actions.isMember && (
        <SheetButton icon={<PinIcon aria-hidden size={18} />} onClick={after(actions.pin)}>
          {actions.isPinned ? strings.message.unpin : strings.message.pin}
        </SheetButton>
      )}
      {actions.mayTranslate && (
        <SheetButton icon={<Languages aria-hidden size={18} />} onClick={after(actions.translate)}>
          {strings.translation[actions.isTranslated ? "original" : "translate"]}
        </SheetButton>
      )}
      {actions.mayEdit && (
        <SheetButton icon={<Pencil aria-hidden size={18} />} onClick={after(actions.edit)}>
          {strings.message.edit}
        </SheetButton>
      )}
      {actions.mayRemove && (
        <SheetButton isDanger icon={<Trash2 aria-hidden size={18} />} onClick={() => setAsked("remove")}>
          {strings.message.remove}
        </SheetButton>
      )}
    </Dialog>
  );
}
