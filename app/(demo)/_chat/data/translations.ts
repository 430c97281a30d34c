import { useSyncExternalStore } from "react";
import { onLeaving } from "../../_session/person.ts";
import { createExternalStore } from "../../_ui/external-store.ts";
import { spoken } from "../../_ui/language.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";

/** A message in the reader's language, for the version that was edited at `of`. */
export type Shown = { of: number; text: string; source: string | null };

/** The translations shown in this tab, by post id. */
const shown = createExternalStore<Readonly<Record<string, Shown>>>({});

// The next user of this tab requests their own translations.
onLeaving(() => shown.publish({}));

/** Translates a message to the language of the page, and shows the translation. @throws ChatError */
export async function translate({ id, channelId, editAt }: Post): Promise<void> {
  const { text, source } = await chatClient.posts.translate(channelId, id, spoken().language);
  shown.publish({ ...shown.snapshot(), [id]: { of: editAt, text, source } });
}

/** Shows a message as it was written. */
export function showOriginal(postId: string): void {
  const { [postId]: _, ...others } = shown.snapshot();
  shown.publish(others);
}

/**
 * Returns the translation shown in place of a message, or undefined if the original is shown or the message
 * was edited since.
 */
export function useTranslation({ id, editAt }: Post): Shown | undefined {
  const translation = useSyncExternalStore(
    shown.subscribe,
    () => shown.snapshot()[id],
    () => undefined,
  );
  return translation?.of === editAt ? translation : undefined;
}
