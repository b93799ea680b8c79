import { expect, test } from 'vitest';
import { readEvents } from './stream';

async function heard(...chunks: string[]) {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const events = [];
  for await (const event of readEvents(new Response(body))) events.push(event);
  return events;
}

test('events are heard wherever the chunks are cut', async () => {
  const text = 'event: hello\ndata: {"a":1}\n\n: keep-alive\n\ndata: one\ndata: two\n\n';
  const whole = [
    { name: 'hello', data: '{"a":1}' },
    { name: 'message', data: 'one\ntwo' },
  ];
  expect(await heard(text)).toEqual(whole);
  for (let cut = 1; cut < text.length; cut += 1) {
    expect(await heard(text.slice(0, cut), text.slice(cut))).toEqual(whole);
  }
});

test('an event that was cut off is not told', async () => {
  expect(await heard('event: change\ndata: {}\n')).toEqual([]);
});
