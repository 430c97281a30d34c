"use client";

import { useCallback, useEffect, useState } from "react";
import { createSignIns, type SignIn } from "../../../lib/chat-client/index.ts";
import { chatSession } from "../_session/chat-session.ts";
import { problemOf } from "../_session/problem-of.ts";
import { Button } from "../_ui/button.tsx";
import { momentOf } from "../_ui/language.ts";
import { Skeleton } from "../_ui/skeleton.tsx";
import { strings } from "./strings.en.ts";

const account = createSignIns(chatSession);
const ALL = "all";

/** The account's sign-ins, each with a button that ends it, and one button that ends all others. */
export function SignIns() {
  const [listed, setListed] = useState<readonly SignIn[]>();
  const [problem, setProblem] = useState("");
  const [news, setNews] = useState("");
  const [ending, setEnding] = useState("");
  const load = useCallback(async () => {
    try {
      setListed(await account.list());
      setProblem("");
    } catch (error) {
      setProblem(problemOf(error));
    }
  }, []);
  useEffect(() => void load(), [load]);

  const end = async (id: string, work: () => Promise<void>, done: string) => {
    setEnding(id);
    setNews("");
    try {
      await work();
      setNews(done);
      await load();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setEnding("");
    }
  };

  const { endOthers, ended, endedOthers, retry } = strings.signIns;
  return (
    <>
      {!listed && !problem && <Skeleton className="h-24 rounded-lg" />}
      {problem && (
        <div role="alert" className="mb-3 flex flex-wrap items-center gap-3 text-sm text-danger">
          {problem}
          <Button size="small" onClick={() => void load()}>
            {retry}
          </Button>
        </div>
      )}
      <ul className="divide-y divide-line">
        {listed?.map((signIn) => (
          <Row
            key={signIn.id}
            signIn={signIn}
            isEnding={ending === signIn.id}
            onEnd={() => void end(signIn.id, () => account.end(signIn.id), ended)}
          />
        ))}
      </ul>
      {listed && listed.length > 1 && (
        <Button
          className="mt-3"
          isBusy={ending === ALL}
          onClick={() => void end(ALL, () => account.endOthers(), endedOthers)}
        >
          {endOthers}
        </Button>
      )}
      <p role="status" className="mt-3 text-sm text-ink-soft empty:hidden">
        {news}
      </p>
    </>
  );
}

function Row({ signIn, isEnding, onEnd }: { signIn: SignIn; isEnding: boolean; onEnd: () => void }) {
  const { device, times, current, end, endOf, byApp } = strings.signIns;
  const name = device(signIn.program, signIn.system);
  const opened = momentOf(Date.parse(signIn.openedAt));
  return (
    <li className="flex items-center gap-3 py-3">
      <div className="min-w-0 grow text-sm">
        <p className="font-medium break-words">
          <span>{name}</span>
          {signIn.isCurrent && (
            <span className="ms-2 rounded-full bg-selected px-2 py-0.5 text-xs font-medium">{current}</span>
          )}
        </p>
        <p className="text-ink-soft">{times(opened, momentOf(Date.parse(signIn.seenAt)))}</p>
        {signIn.app && <p className="break-words text-ink-soft">{byApp(signIn.app)}</p>}
      </div>
      {!signIn.isCurrent && (
        <Button
          size="small"
          className="shrink-0"
          isBusy={isEnding}
          aria-label={endOf(name, opened)}
          onClick={onEnd}
        >
          {end}
        </Button>
      )}
    </li>
  );
}
