/** Keys that work everywhere: two letters go to a place, `?` lists them all. */
import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { usePlaces } from './navigation';

/** How long the second key of two may take. */
const PATIENCE_MS = 1_200;

/** Whether the keys belong to something that is being written into. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function Shortcuts() {
  const navigate = useNavigate();
  const places = usePlaces();
  const [open, { open: show, close }] = useDisclosure();
  const first = useRef({ key: '', at: 0 });

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (document.querySelector('[role="dialog"]')) return;
      const before = first.current;
      first.current = { key: event.key, at: Date.now() };
      if (event.key === '?') return show();
      if (event.key === '/') {
        const box = document.querySelector<HTMLInputElement>('[data-page-search]');
        if (box) {
          event.preventDefault();
          box.focus();
        }
        return;
      }
      if (before.key !== 'g' || Date.now() - before.at > PATIENCE_MS) return;
      const place = places.find(({ keys }) => keys === `g ${event.key}`);
      if (place) void navigate({ to: place.to });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [navigate, places, show]);

  const others = [
    ['Ctrl K', 'Search and commands'],
    ['/', 'Search on this page'],
    ['j  k', 'Next and previous in a list'],
    ['Enter', 'Open'],
    ['x', 'Choose, in the library'],
    ['a  x', 'Approve and reject, in the review queue'],
    ['u', 'Undo a rejection, in the review queue'],
    ['Ctrl S', 'Save, in an editor'],
    ['Ctrl Enter', 'Run a skill, or ask the test bench'],
    ['?', 'This list'],
  ];
  return (
    <Modal opened={open} onClose={close} title="Keyboard shortcuts">
      <Stack gap="xs">
        {others.map(([keys, label]) => (
          <Row key={keys} keys={keys ?? ''} label={label ?? ''} />
        ))}
        {places.map(({ keys, label }) => (
          <Row key={keys} keys={keys} label={`Go to ${label}`} />
        ))}
      </Stack>
    </Modal>
  );
}

function Row({ keys, label }: { keys: string; label: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{label}</Text>
      <Group gap={4} wrap="nowrap">
        {keys.split(' ').map((key, at) => key && <Kbd key={at}>{key}</Kbd>)}
      </Group>
    </Group>
  );
}
