"use client";

import type { ComponentProps, ReactElement } from "react";
import { Avatar } from "../../_ui/avatar.tsx";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { Opener } from "../../_ui/opener.tsx";
import type { User } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { useUser } from "../data/use-channels.ts";

const load = () => import("./profile-card.tsx");
const ProfileCard = loadClosable(() => load().then((module) => module.ProfileCard));

/** Opens a person's card from `children`, a single button with their face or name. */
export function Person({
  userId,
  children,
}: {
  userId: string;
  children: ReactElement<ComponentProps<"button">>;
}) {
  const user = useUser(userId);
  if (!user) return children;
  return (
    <Opener kind="dialog" load={load} part={(opened) => <ProfileCard user={user} opened={opened} />}>
      {children}
    </Opener>
  );
}

/**
 * Pictures of people in a row, each overlapping the previous one. The words next to them say who or how many
 * they are.
 */
export function Faces({ users, size }: { users: readonly User[]; size: "tiny" | "small" }) {
  return (
    <span aria-hidden className="flex -space-x-1.5">
      {users.map((user) => (
        <Avatar
          key={user.id}
          size={size}
          name={user.username}
          imageUrl={pictureOf(user)}
          className="ring-2 ring-surface"
        />
      ))}
    </span>
  );
}
