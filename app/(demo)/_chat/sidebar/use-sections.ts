"use client";

import { useParams } from "next/navigation";
import { useState } from "react";
import { isUnread, type Section, sectionsOf } from "../data/sections.ts";
import { useChannels } from "../data/use-channels.ts";

/** The sidebar's sections as they stand: the open channel stays among the unread ones until it is closed. */
export function useSections(): Section[] {
  const { data = [] } = useChannels();
  const { channelId = null } = useParams<{ channelId?: string }>();
  const [keptId, setKeptId] = useState<string | null>(null);
  const open = data.find(({ id }) => id === channelId);
  const next = open && (open.id === keptId || isUnread(open)) ? open.id : null;
  if (next !== keptId) setKeptId(next);
  return sectionsOf(data, next);
}
