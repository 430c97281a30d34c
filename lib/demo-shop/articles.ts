/** An article for sale; `body` is Markdown. */
export type Article = { slug: string; title: string; teaser: string; body: string };

const threeSecondsAndNoFee: Article = {
  slug: "three-seconds-and-no-fee",
  title: "Three seconds and no fee",
  teaser:
    "Why a payment of five cents makes sense on Hive, and what happens to it between the click and the block.",
  body: `A card payment of five cents costs the shop more than five cents. That one sentence explains most of the web as we know it: the subscription for a single article, the account you had to open for one download, the banner beside the recipe. Nobody could sell small things one at a time, so nobody did.

## What a transfer costs on Hive

A transfer on Hive has no fee. That is not a special offer. Every account that holds staked tokens has *resource credits*, a bucket of the chain's capacity that fills itself again over five days. A transfer takes a little out of the bucket, and the payer's balance goes down by exactly what the payee's goes up. A payment of 0.050 HBD arrives as 0.050 HBD.

The unit matters too. HBD is meant to be worth about one US dollar, because the chain converts it into a dollar's worth of its other token, and back, at a price that its elected producers report. A price tag in HBD means the same thing next week. It has three decimals, so the smallest possible price is a tenth of a cent.

## From the signature to the block

The payer's program writes down the transfer: from whom, to whom, how much, and a memo. It adds a reference to a recent block, which ties the transfer to this chain and this history, and a time at which the whole thing becomes worthless, usually a minute ahead. Then it signs. Until here nothing has left the payer's computer.

Somebody sends the signed transfer to a node. It need not be the payer: whoever holds the signed text can hand it in, but nobody can change a letter of it. The node checks the signature against the account's active key, checks the balance, and passes it on. Every three seconds one of the block producers collects what is waiting and makes a block of it.

## When is it final?

A block could in theory be replaced while the network still argues about it. For years, waiting that out took most of a minute. Now the producers confirm each block as soon as they see it, and with two thirds of them agreeing it can't be undone: in ordinary operation that takes about a second after the block.

So a shop has two honest choices. For an article that costs five cents, being in a block is enough. For a laptop, wait for the block that can't be undone. Either way the customer has not finished reading the first line before the money is there.

## What is left to do

Nothing of this needs a payment company between the two. It does need care. The shop must be certain that one transfer opens one article, once, even if a connection breaks at the worst moment. The next article is about the answer that a web server gives to arrange all that: the one with the number 402.`,
};

const oneKeyForEachJob: Article = {
  slug: "one-key-for-each-job",
  title: "One key for each job",
  teaser: "How a chain account signs you in to a team chat without putting your money at risk.",
  body: `Most systems give you one password, and with it goes everything. Whoever reads it over your shoulder can write in your name, empty your account and change the password so that you can't come back. A Hive account works more like a good bunch of keys: the one for the letter box does not open the safe.

## Four keys

The **posting** key speaks for you. It signs posts, votes and follows, and it can sign a text that says "this is me". It can't move a single token.

The **active** key spends. Transfers need it, and so do the other things that concern your property.

The **owner** key changes the others. It belongs on paper in a drawer, because with it you can always take the account back.

The **memo** key reads and writes encrypted notes that travel with transfers, and does nothing else.

Since the last major upgrade of the chain they no longer stand in for one another: a transfer signed with the owner key is refused, although that key is the stronger one. It sounds pedantic and is a relief. A program that checks a payment has exactly one question to ask.

## Signing in to a chat

Now to the team chat. It has its own users and its own tokens, and it knows nothing of chains. Between it and the browser stands a gateway, and the gateway asks for a signature instead of a password.

It sends a short text with a random number and the time. A wallet in the browser shows the text and signs it with the posting key. The gateway fetches the account's public keys from the chain, checks that this signature was made by one of them, and opens the chat in the name of the account. Nothing secret has crossed the network, there is no table of passwords that could be stolen, and a text that somebody recorded yesterday is useless today.

## What the chain adds

A name on the chain is worth more than a name in a database. If you are *carol* there, nobody else can be *carol* here, and the channels that you join can follow the communities that you belong to. The moderators of a community are written down in public; when one is appointed or dismissed, the chat follows within a minute, without anybody keeping two lists in step.

It also sets a limit that is easy to explain. The chat never needs your active key, so it never asks for it. If a window that calls itself a chat does ask, close it.

## Losing a key

Keys get lost, and laptops get stolen. If it is the posting key, you sign a change with a stronger one, and every sign-in that was made with the old key ends, because the gateway asks the chain and not its own memory. If it is the owner key, there is still a way: for thirty days the account's recovery partner, whom you chose beforehand, can help to undo the damage together with you. No help desk is involved, and no question about the name of your first pet.`,
};

const theAnswerNobodyUsed: Article = {
  slug: "the-answer-nobody-used",
  title: "The answer nobody used",
  teaser:
    "Status 402 was reserved in the nineties and left lying for thirty years. Here is what it says today.",
  body: `Every web developer knows 404, and most have met 403 on a bad day. Between them sits 402, *Payment Required*, which the authors of HTTP put on the list in the nineties with the remark that it was reserved for future use. The future took its time. Without a way to move small sums between programs there was nothing for the number to say.

## A conversation in four lines

With a currency that programs can hold, the conversation becomes short enough to fit on a napkin.

1. A program asks for an article.
2. The server answers 402 and says what it wants: an amount, an account to pay, a network, and until when the offer stands.
3. The program signs a transfer, does **not** send it anywhere, and asks for the article again with the signed transfer in a header named \`x-payment\`.
4. The server has the transfer checked and put into a block, and answers 200 with the article.

No account was opened, no card was typed, no cookie was set. The same server that never met this client before has been paid by it, and can prove it: the receipt names a transaction that anybody can look up.

## Who talks to the chain?

A shop that sells recipes should not have to run a payment department. So the third step goes through a *facilitator*, a small service that does two things on request. It **verifies**: is this a proper transfer of the right amount to the right account, signed by enough of the right keys, by somebody who has the money? And it **settles**: it hands the transfer to the chain and waits for the block. It never holds anybody's money, because the transfer goes from payer to payee directly, and it can't change one, because it could not sign the result.

## The difficult parts

The friendly case takes an afternoon to program. The rest is about everything that may break.

*The same payment, twice.* Two copies of one header arrive at two servers in the same millisecond. Exactly one may be served, so the payment has to be claimed in one indivisible step before anything is sent.

*The lost answer.* The facilitator puts the transfer into a block, and then its answer is lost. The payer has paid. If the shop now said "payment failed", an eager client would sign a second transfer. The right answer is "not yet, ask again with the same payment".

*The wrong door.* A payment for the weather report must not open the annual accounts that happen to cost the same. The server therefore proposes a number to be written into the memo, and that number fits one address only.

## What it is good for

People will not approve a window for every paragraph, and nobody should want them to. But programs have no such patience to lose. An agent that needs one map tile, one translation, one answer from a database can pay for one, within a budget that its owner has set, and never come back. For that customer, the oldest unused number of the web turns out to be the right one.`,
};

/** The articles for sale, in the order of the list. */
export const articles: readonly Article[] = [threeSecondsAndNoFee, theAnswerNobodyUsed, oneKeyForEachJob];

/** The price of an article. */
export const ARTICLE_PRICE = "0.050 HBD";

/** Returns the key of an article's purchase. */
export const nameOf = ({ slug }: Pick<Article, "slug">): string => `article:${slug}`;
