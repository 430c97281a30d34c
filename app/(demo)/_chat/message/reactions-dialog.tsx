"use client";

import type { RefObject } from "react";
import { Avatar } from "../../_ui/avatar.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import type { Post } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { groupReactions } from "../data/reaction-groups.ts";
import { useUsers } from "../data/use-channels.ts";
import { emojiOf } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";

/** Everyone who reacted to a message, by emoji. */
export function ReactionsDialog({
  post,
  menu,
  onClose,
}: {
  post: Post;
  /** The menu button that opened the dialog, if any. */
  menu?: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const users = useUsers();
  return (
    <Dialog isOpen onOpenChange={onClose} title={strings.message.reactions} returnFocus={menu}>
      <div className="space-y-4">
        {groupReactions(post).map(({ emoji, userIds }) => (
          <section key={emoji} aria-label={strings.message.toggle(emoji, userIds.length)}>
            <h3 className="flex items-center gap-2 text-sm font-semibold">
              <span className="text-lg">{emojiOf(emoji) ?? `:${emoji}:`}</span>
              <span className="tabular-nums">{userIds.length}</span>
            </h3>
            <ul className="mt-1">
              {userIds.map((id) => {
                const user = users[id];
                const name = user?.username ?? strings.sidebar.unknownPerson;
                return (
                  <li key={id} className="flex min-h-9 items-center gap-3 text-sm">
                    <Avatar size="small" name={name} imageUrl={user ? pictureOf(user) : undefined} />
                    <span className="truncate">{name}</span>
                  </li>
                );
              })}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
