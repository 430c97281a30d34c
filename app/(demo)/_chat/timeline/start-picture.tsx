"use client";

import { Hash, Lock, Users } from "lucide-react";
import { Avatar } from "../../_ui/avatar.tsx";
import type { ShownChannel } from "../data/model.ts";
import { pictureOf } from "../data/picture.ts";
import { ProfileCard } from "../people/profile-card.tsx";
import { strings } from "../strings.en.ts";

const icons = { O: Hash, P: Lock, G: Users, D: Users };

/** The large sign of a conversation: the other's picture, which opens their card, or the sign of its kind. */
export function StartPicture({ shown }: { shown: ShownChannel }) {
  const person = "directUser" in shown ? shown.directUser : null;
  if (person)
    return (
      <ProfileCard userId={person.id}>
        <button
          type="button"
          aria-label={strings.message.profileOf(person.username)}
          className="block rounded-full"
        >
          <Avatar size="large" name={person.username} imageUrl={pictureOf(person)} />
        </button>
      </ProfileCard>
    );
  const Icon = icons[shown.type];
  return (
    <span className="inline-flex size-14 items-center justify-center rounded-2xl bg-accent-wash text-accent-text">
      <Icon aria-hidden size={28} />
    </span>
  );
}
