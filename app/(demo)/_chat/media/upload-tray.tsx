"use client";

import { clsx } from "clsx";
import { RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { problemOf } from "../../_session/problem-of.ts";
import { strings } from "./strings.en.ts";
import { type Upload, uploads } from "./uploads.ts";

/** The pictures of a message being written: their progress, their names, and buttons to remove them. */
export function UploadTray({ channelId, pictures }: { channelId: string; pictures: readonly Upload[] }) {
  const failed = pictures.filter(({ state }) => state === "failed");
  return (
    <div className="px-1.5 pt-1.5">
      <ul aria-label={strings.upload.list} className="flex gap-2 overflow-x-auto pb-1">
        {pictures.map((upload, index) => (
          <TrayItem key={upload.key} upload={upload} index={index + 1} channelId={channelId} />
        ))}
      </ul>
      {failed.map(({ key, name, error }) => (
        <p key={key} role="alert" className="px-1 text-sm text-danger">
          {strings.upload.failed(name, uploadProblemOf(error))}
        </p>
      ))}
    </div>
  );
}

/** Returns why a picture was not sent, in the language of the page. */
export function uploadProblemOf(error: unknown): string {
  const told = error instanceof ChatError ? strings.upload.problems[error.code] : undefined;
  return told ?? problemOf(error);
}

const corner =
  "absolute top-1 inline-flex size-7 items-center justify-center rounded-full bg-black/65 text-white hover:bg-black/85 after:absolute after:-inset-1 pointer-coarse:size-9";

function TrayItem({ upload, index, channelId }: { upload: Upload; index: number; channelId: string }) {
  const { key, name, state, part, preview } = upload;
  const [written, setWritten] = useState(name);
  const isSending = state === "sending";
  return (
    <li className="w-28 shrink-0">
      <div
        className={clsx(
          "relative h-24 overflow-hidden rounded-lg border bg-sunken",
          state === "failed" ? "border-danger" : "border-line",
        )}
      >
        {/* biome-ignore lint/performance/noImgElement: it is the file that was chosen */}
        <img
          src={preview}
          alt={name}
          className={clsx("size-full object-cover", state !== "done" && "opacity-60")}
        />
        {state === "failed" && (
          <button
            type="button"
            aria-label={strings.upload.retry(name)}
            title={strings.upload.retry(name)}
            onClick={() => uploads.retry(key, channelId)}
            className={clsx(corner, "start-1")}
          >
            <RotateCcw aria-hidden size={15} />
          </button>
        )}
        <button
          type="button"
          aria-label={isSending ? strings.upload.cancel(name) : strings.upload.remove(name)}
          title={isSending ? strings.upload.cancel(name) : strings.upload.remove(name)}
          onClick={() => uploads.remove(key)}
          className={clsx(corner, "end-1")}
        >
          <X aria-hidden size={15} />
        </button>
        {isSending && (
          <div
            role="progressbar"
            aria-label={strings.upload.progress(name)}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(part * 100)}
            className="absolute inset-x-1.5 bottom-1.5 h-1.5 overflow-hidden rounded-full bg-black/55"
          >
            <div className="h-full rounded-full bg-white" style={{ width: `${Math.round(part * 100)}%` }} />
          </div>
        )}
      </div>
      <input
        aria-label={strings.upload.name(index)}
        value={written}
        maxLength={120}
        dir="auto"
        onChange={({ target }) => setWritten(target.value)}
        onBlur={() => {
          uploads.rename(key, channelId, written);
          if (written.trim() === "") setWritten(name);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
        className="mt-1 h-7 w-full truncate rounded border border-transparent bg-transparent px-1 text-xs hover:border-line focus:border-line-strong pointer-coarse:h-11"
      />
    </li>
  );
}
