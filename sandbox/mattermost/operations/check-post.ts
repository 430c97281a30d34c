import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";

export const MAX_MESSAGE_RUNES = 16_383;
const MAX_PROPS_RUNES = 800_000;

const runes = (text: string) => [...text].length;

/** @throws ApiError 400 when the message is too long; an empty one is fine. */
export function checkMessage(backend: Backend, message: string): void {
  if (runes(message) <= MAX_MESSAGE_RUNES) return;
  refuse(
    backend.isV11 ? "model.post.is_valid.message_length.app_error" : "model.post.is_valid.msg.app_error",
  );
}

export function checkProps(props: Record<string, unknown>): void {
  if (runes(JSON.stringify(props)) > MAX_PROPS_RUNES) refuse("model.post.is_valid.props.app_error");
}
