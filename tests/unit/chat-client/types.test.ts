import { describe, expectTypeOf, test } from "vitest";
import type * as client from "#lib/chat-client/answers.ts";
import type { CamelCased } from "#lib/chat-client/camel-cased.ts";
import type * as login from "#lib/chat-client/login.ts";
import type { NewPost } from "#lib/chat-client/new-post.ts";
import type { MatchingPage, NumberedPage, PageOptions, ThreadsOptions } from "#lib/chat-client/pages.ts";
import type * as wire from "#lib/contract/answers.ts";
import type * as wireLogin from "#lib/contract/login.ts";
import type * as media from "#lib/contract/media-answers.ts";
import type * as requests from "#lib/contract/requests.ts";

/** The wire's fields with the names of the client's options, all of them optional. */
type Query<Q> = Partial<CamelCased<Q>>;
/** The options of a call that are sent as its query. */
type Sent<Options> = { [Name in Exclude<keyof Options, "signal">]?: Options[Name] };

describe("the client's types", () => {
  // Translated once more, intersections become plain types with the same fields.
  test("have exactly the fields of answers about channels", () => {
    expectTypeOf<CamelCased<client.ChannelEntry>>().toEqualTypeOf<CamelCased<wire.ChannelEntry>>();
    expectTypeOf<CamelCased<client.FoundChannel>>().toEqualTypeOf<CamelCased<wire.FoundChannel>>();
    expectTypeOf<CamelCased<client.Members>>().toEqualTypeOf<CamelCased<wire.Members>>();
    expectTypeOf<CamelCased<client.PublicChannels>>().toEqualTypeOf<CamelCased<wire.PublicChannels>>();
    expectTypeOf<CamelCased<client.Unreads>>().toEqualTypeOf<CamelCased<wire.Unreads>>();
  });

  test("have exactly the fields of answers about posts", () => {
    expectTypeOf<CamelCased<client.FoundPosts>>().toEqualTypeOf<CamelCased<wire.FoundPosts>>();
    expectTypeOf<CamelCased<client.PinnedPosts>>().toEqualTypeOf<CamelCased<wire.PinnedPosts>>();
    expectTypeOf<CamelCased<client.PostsPage>>().toEqualTypeOf<CamelCased<wire.PostsPage>>();
    expectTypeOf<CamelCased<client.Reaction>>().toEqualTypeOf<CamelCased<wire.Reaction>>();
    expectTypeOf<CamelCased<client.ThreadsPage>>().toEqualTypeOf<CamelCased<wire.ThreadsPage>>();
    expectTypeOf<CamelCased<client.Translation>>().toEqualTypeOf<CamelCased<wire.Translation>>();
  });

  test("have exactly the fields of answers about files and links", () => {
    expectTypeOf<CamelCased<client.File>>().toEqualTypeOf<CamelCased<media.File>>();
    expectTypeOf<CamelCased<client.HostedPicture>>().toEqualTypeOf<CamelCased<media.HostedPicture>>();
    expectTypeOf<CamelCased<client.Preview>>().toEqualTypeOf<CamelCased<media.Preview>>();
  });

  test("have exactly the fields of answers about the signed-in user", () => {
    expectTypeOf<CamelCased<client.Bootstrap>>().toEqualTypeOf<CamelCased<wire.Bootstrap>>();
    expectTypeOf<CamelCased<client.Me>>().toEqualTypeOf<CamelCased<wire.Me>>();
    expectTypeOf<CamelCased<client.SignIn[]>>().toEqualTypeOf<CamelCased<wire.SignIns["signIns"]>>();
    expectTypeOf<login.Challenge>().toEqualTypeOf<wireLogin.Challenge>();
    expectTypeOf<login.WalletChallenge>().toExtend<wireLogin.WalletChallenge>();
    expectTypeOf<wireLogin.WalletChallenge>().toExtend<login.WalletChallenge>();
    expectTypeOf<{ state: "signed_in" } & login.WalletLogin>().toExtend<wireLogin.WalletSession>();
    expectTypeOf<login.SignedChallenge>().toEqualTypeOf<wireLogin.LoginRequest>();
    expectTypeOf<login.Tokens>().toEqualTypeOf<wireLogin.Tokens>();
    expectTypeOf<CamelCased<login.RenewedTokens>>().toEqualTypeOf<CamelCased<wireLogin.RenewedTokens>>();
  });

  test("have exactly the fields of requests", () => {
    expectTypeOf<NewPost>().toEqualTypeOf<requests.NewPost>();
    expectTypeOf<client.NotifyLevel>().toEqualTypeOf<NonNullable<requests.MuteRequest["notifyLevel"]>>();
    expectTypeOf<Sent<PageOptions>>().toEqualTypeOf<Query<requests.PostsQuery>>();
    expectTypeOf<Sent<MatchingPage>>().toEqualTypeOf<Query<requests.BrowseQuery>>();
    expectTypeOf<Sent<MatchingPage>>().toEqualTypeOf<Query<requests.MembersQuery>>();
    expectTypeOf<Sent<Omit<ThreadsOptions, "unread">>>().toEqualTypeOf<
      Query<Omit<requests.ThreadsQuery, "unread">>
    >();
    expectTypeOf<Sent<NumberedPage>>().toEqualTypeOf<
      Query<Pick<requests.PostSearchRequest, "page" | "per_page">>
    >();
  });
});
