"use client";

import { clsx } from "clsx";
import { SendHorizontal, Type, Users } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { isBlankMarkdown } from "#lib/blank-text.ts";
import type { Mils } from "#lib/mils.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { GrowingField } from "../../_ui/growing-field.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { hasKeys } from "../../_ui/text-field.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { readDraft, saveDraft } from "../data/drafts.ts";
import { actOf } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { useChannels } from "../data/use-channels.ts";
import { rememberEmoji } from "../emoji/recent-emoji.ts";
import { withHosted } from "../media/uploads.ts";
import { strings } from "../strings.en.ts";
import { callsEverybody } from "./calls-everybody.ts";
import { EmojiButton } from "./emoji-button.tsx";
import { typeInto } from "./focus-composer.ts";
import { resolveHeldKey } from "./held-key.ts";
import { type HeldText, leaveComposer, whenHeld } from "./held-text.ts";
import { PictureButton, PictureParts, usePictures } from "./pictures.tsx";
import { refuseLongPaste } from "./refuse-long-paste.ts";
import { isComposing, isSendKey } from "./send-key.ts";
import { excessOf, MAX_TYPED, readWritten, toggleMark } from "./typed-text.ts";
import { useTypingSignal } from "./typing-line.tsx";
import { type Completion, useCompletion } from "./use-completion.ts";

type ComposerProps = {
  channelId: string;
  /** The thread's root; empty in a channel. */
  rootId: string;
  name: string;
  /** Number of members of the channel, if known. */
  memberCount?: number | undefined;
  /** Called with the text at first and after each change. */
  onText: (text: string) => unknown;
  onSent: () => void;
  onEditLast: () => void;
  onReplyLast?: () => void;
  autoFocus?: boolean;
};

const FormattingBar = loadPart(() => import("./formatting-bar.tsx").then((module) => module.FormattingBar));
const EverybodyDialog = loadClosable(() =>
  import("./everybody-dialog.tsx").then((module) => module.EverybodyDialog),
);
const TipDialog = loadClosable(() => import("../../_pay/tip-dialog.tsx").then((module) => module.TipDialog));

/** Maximum number of people that a message notifies without a confirmation. */
const CALLED_UNASKED = 10;

const marks: Readonly<Record<string, string>> = { b: "**", i: "_" };

/** The form for writing messages. It stores unsent text. */
export function Composer({
  channelId,
  rootId,
  name,
  memberCount = 0,
  onText,
  onSent,
  onEditLast,
  onReplyLast,
  autoFocus = false,
}: ComposerProps) {
  const { me, send } = useChat();
  const partner = useChannels().data?.find(({ id }) => id === channelId)?.directUser?.username;
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(me.username, channelId, rootId));
  const typing = useTypingSignal(channelId, rootId);
  const excess = excessOf(text);
  const [tip, setTip] = useState<{ username: string; mils: Mils | null } | null>(null);
  const [call, setCall] = useState<{ message: string; rest: string } | null>(null);
  const [isFormatting, setIsFormatting] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const media = usePictures({
    place: `${me.username}.${channelId}.${rootId}`,
    channelId,
    name,
    box,
    onReady: () => void submit(text, { isLate: true }),
  });
  const { pictures } = media;
  const isEmpty = isBlankMarkdown(text) && pictures.length === 0;
  const label = rootId === "" ? strings.composer.label(name) : strings.composer.replyLabel;

  useEffect(() => {
    onText(text);
  }, [text, onText]);

  const change = (next: string) => {
    setText(next);
    saveDraft(me.username, channelId, rootId, next);
  };
  const focusAgain = () => {
    if (hasKeys()) field.current?.focus();
  };
  const insert = (start: number, end: number, inserted: string) => {
    if (field.current) typeInto(field.current, start, end, inserted);
  };
  const replace = (start: number, end: number, inserted: string, from = inserted.length, to = from) => {
    field.current?.focus();
    insert(start, end, inserted);
    field.current?.setSelectionRange(start + from, start + to);
  };
  /** Sends a message and returns true, or leaves it to the user and returns false. */
  const submit = (message: string, { rest = "", isLate = false, isSure = false } = {}) => {
    const added = media.present();
    if ((isBlankMarkdown(message) && added.length === 0) || excessOf(message) > 0) return false;
    const written = readWritten(message);
    if (written.kind === "malformed") {
      toast.error(written.problem);
      return false;
    }
    if (written.kind === "tip") {
      change(rest);
      completion.close();
      setTip(written);
      return false;
    }
    if (added.length > 0 && !media.mayGo()) return false;
    const files = added.flatMap(({ sent }) => sent ?? []);
    const { type } = written;
    const text = withHosted(written.text, added);
    const whole = type === "me" ? actOf(text) : text;
    if (excessOf(whole) > 0) {
      toast.error(strings.composer.tooLong(excessOf(whole)));
      return false;
    }
    // A message that waited for its pictures was already confirmed when the user sent it.
    if (!isSure && !isLate && memberCount > CALLED_UNASKED && callsEverybody(text)) {
      completion.release();
      completion.close();
      setCall({ message, rest });
      return false;
    }
    if (!send({ channelId, rootId, message: whole, type, ...(files.length > 0 && { files }) })) {
      toast.error(strings.composer.tooManyWaiting);
      return false;
    }
    typing.end();
    media.clear();
    change(rest);
    completion.release();
    completion.close();
    // A message that waited for its pictures may be sent while its author is in another channel.
    if (box.current) onSent();
    if (!isLate) field.current?.focus();
    return true;
  };
  const completion = useCompletion({
    onAccept: (trigger, { insert, picture }) => {
      if (trigger.kind === "emoji" && picture) rememberEmoji(me.username, picture);
      replace(trigger.start, field.current?.selectionStart ?? trigger.start, insert);
    },
    onResolve: (held, suggestion) => {
      const input = field.current;
      if (!input) return;
      const resolved = resolveHeldKey(held, input.value, suggestion?.insert ?? null);
      const cursor = input.selectionStart + resolved.text.length - input.value.length;
      input.value = resolved.text;
      input.setSelectionRange(cursor, cursor);
      change(resolved.text);
      completion.follow(resolved.text, cursor);
      if (resolved.message !== null) submit(resolved.message, { rest: resolved.rest });
    },
  });
  const tellTip = ({ to, amount, payer }: { to: string; amount: string; payer: string }) => {
    const line = strings.composer.tipped(to, amount, payer === me.username ? null : payer);
    send({ channelId, rootId, message: actOf(line), type: "me" });
  };
  const mark = (sign: string) => {
    const input = field.current;
    if (!input) return;
    const { selectionStart, selectionEnd } = input;
    const marked = toggleMark(text, selectionStart, selectionEnd, sign);
    const from = marked.selectFrom - marked.from;
    replace(marked.from, marked.to, marked.insert, from, from + selectionEnd - selectionStart);
  };
  const receive = useEffectEvent(({ element, messages, rest }: HeldText) => {
    const input = field.current;
    if (!input) return;
    const { selectionStart, selectionEnd } = element;
    const isFocused = document.activeElement === element;
    const from = (index: number) => [...messages.slice(index), rest].filter(Boolean).join("\n");
    change(from(0));
    // Their writer has not seen these pictures with them.
    const areSeen = messages.length === 0 || media.present().length === 0;
    if (areSeen && messages.every((message, index) => submit(message, { rest: from(index + 1) }))) {
      input.value = rest;
      input.setSelectionRange(selectionStart, selectionEnd);
    }
    if (isFocused) input.focus({ preventScroll: true });
  });
  useLayoutEffect(() => (rootId === "" ? whenHeld(channelId, receive) : undefined), [channelId, rootId]);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || completion.takeKey(event)) return;
    if (isSendKey(event)) {
      event.preventDefault();
      submit(text);
    } else if (event.key === "ArrowUp" && text === "") {
      event.preventDefault();
      if (event.shiftKey) onReplyLast?.();
      else onEditLast();
    } else if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      const sign = marks[event.key.toLowerCase()];
      if (!sign) return;
      event.preventDefault();
      mark(sign);
    }
  };

  return (
    <div ref={box} className="relative">
      {completion.isOpen && <SuggestionList completion={completion} />}
      <div className="@container rounded-xl border border-line-strong bg-raised p-1 focus-within:outline-2 focus-within:outline-ring">
        <PictureParts media={media} channelId={channelId} />
        {isFormatting && <FormattingBar field={() => field.current} onMark={mark} onReplace={replace} />}
        {/* In a narrow place the text takes the full width, and the buttons move to the line below. */}
        <div className="flex items-end gap-1 @max-md:upright:flex-wrap">
          <div className="relative min-w-0 grow @max-md:upright:basis-full">
            {/* The field's own placeholder would wrap a long name and make the field taller. */}
            {text === "" && (
              <span
                aria-hidden
                className="pointer-events-none absolute inset-x-2.5 top-2 truncate leading-6 pointer-coarse:top-2.5 text-ink-faint"
              >
                {label}
              </span>
            )}
            <GrowingField
              ref={field}
              role="combobox"
              {...completion.aria}
              autoFocus={autoFocus}
              data-composer={rootId}
              dir="auto"
              aria-label={label}
              aria-invalid={excess > 0 || undefined}
              value={text}
              onChange={({ target }) => {
                change(target.value);
                completion.follow(target.value, target.selectionStart);
                if (!isBlankMarkdown(target.value)) typing.signal();
              }}
              onKeyDown={onKeyDown}
              maxLength={MAX_TYPED}
              onPaste={(event) => {
                refuseLongPaste(event);
                media.onPaste(event);
              }}
              onFocus={() => leaveComposer(channelId)}
              onBlur={completion.close}
              className="max-h-[calc(10lh+1rem)] w-full bg-transparent px-2.5 py-2 align-top text-base pointer-coarse:py-2.5 leading-6 outline-none"
            />
          </div>
          <PictureButton
            onAdd={(files) => {
              media.add(files);
              focusAgain();
            }}
          />
          <IconButton
            label={strings.composer.formatting}
            aria-pressed={isFormatting}
            isActive={isFormatting}
            size="large"
            onClick={() => setIsFormatting(!isFormatting)}
          >
            <Type aria-hidden size={20} />
          </IconButton>
          <EmojiButton
            label={strings.composer.emoji}
            clearOf={box}
            onCharacter={(character) => {
              const at = field.current?.selectionStart ?? text.length;
              focusAgain();
              insert(at, field.current?.selectionEnd ?? at, character);
            }}
          />
          <IconButton
            label={strings.composer.send}
            isPrimary={!isEmpty && excess === 0}
            className="@max-md:upright:ms-auto"
            disabled={isEmpty || excess > 0}
            onClick={() => submit(text)}
            size="large"
          >
            <SendHorizontal aria-hidden size={20} />
          </IconButton>
        </div>
      </div>
      {call && (
        <EverybodyDialog
          memberCount={memberCount}
          onClose={() => {
            setCall(null);
            focusAgain();
          }}
          onSend={() => {
            setCall(null);
            submit(call.message, { rest: call.rest, isSure: true });
          }}
        />
      )}
      {tip && (
        <TipDialog
          toUsername={tip.username}
          mils={tip.mils}
          postUrl={`https://hive.blog/@${tip.username}`}
          // The gateway tells the recipient in their direct conversation, so only other channels need a message
          // about the tip.
          tell={partner === tip.username ? undefined : tellTip}
          onClose={() => {
            setTip(null);
            focusAgain();
          }}
        />
      )}
      {excess > 0 && (
        <p role="alert" className="px-2 pt-1 text-sm text-danger">
          {strings.composer.tooLong(excess)}
        </p>
      )}
    </div>
  );
}

/** The suggestions above the composer; keyboard focus stays in the text field. */
function SuggestionList({ completion }: { completion: Completion }) {
  const { suggestions, active, listId, optionId, accept } = completion;
  return (
    <div
      role="listbox"
      id={listId}
      aria-label={strings.composer.suggestions}
      className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lift sm:end-auto sm:w-80"
    >
      {suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the focus and takes the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant
        <div
          key={suggestion.key}
          role="option"
          id={optionId(index)}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(suggestion)}
          className={clsx(
            "flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm pointer-coarse:min-h-11",
            index === active && "bg-sunken",
          )}
        >
          {suggestion.user ? (
            <Avatar size="small" name={suggestion.user.username} imageUrl={pictureOf(suggestion.user)} />
          ) : (
            <span aria-hidden className="flex w-6 shrink-0 justify-center text-lg leading-6">
              {suggestion.picture ?? <Users size={17} className="text-ink-faint" />}
            </span>
          )}
          <span className="truncate">{suggestion.label}</span>
          <span className="max-w-3/4 shrink-0 truncate text-xs text-ink-soft">
            {suggestion.hint ?? suggestion.note}
          </span>
        </div>
      ))}
    </div>
  );
}
