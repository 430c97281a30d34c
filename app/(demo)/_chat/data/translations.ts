import { useSyncExternalStore } from "react";
import { onLeaving } from "../../_session/gateway.ts";
import { createExternalStore } from "../../_ui/external-store.ts";
import { spoken } from "../../_ui/language.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";

/** A message in the reader's language; it holds for the version of the message that was edited at `of`. */
export type Shown = { of: number; text: string; source: string | null };

/** What is shown translated in this tab, by post id. */
const shown = createExternalStore<Readonly<Record<string, Shown>>>({});

// Whoever comes next in this tab asks for what they want translated.
onLeaving(() => shown.publish({}));

/** Asks for a message in the language of the page, and shows it so. @throws ChatError */
export async function translate({ id, channel_id, edit_at }: Post): Promise<void> {
  const { text, source } = await chatClient.posts.translate(channel_id, id, spoken().language);
  shown.publish({ ...shown.snapshot(), [id]: { of: edit_at, text, source } });
}

/** Shows a message as it was written. */
export function showOriginal(postId: string): void {
  const { [postId]: _, ...others } = shown.snapshot();
  shown.publish(others);
}

/** What is shown in a message's place; undefined where it stands as it was written, or was edited since. */
export function useTranslation({ id, edit_at }: Post): Shown | undefined {
  const translation = useSyncExternalStore(
    shown.subscribe,
    () => shown.snapshot()[id],
    () => undefined,
  );
  return translation?.of === edit_at ? translation : undefined;
}
