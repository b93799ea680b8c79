/** What waits, one line of reading each. */
import { Badge, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { originLabel } from '@/components/badges';
import { useNames } from '@/components/names';
import { Ago } from '@/components/time';
import type { Skill } from './decisions';
import classes from './review.module.css';
import { whatWaits } from './rights';

type ListProps = {
  skills: Skill[];
  selected: string | undefined;
  onSelect: (id: string) => void;
  more?: () => void;
};

export function ReviewList({ skills, selected, onSelect, more }: ListProps) {
  const names = useNames();
  const place = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (selected) place.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <>
      <ul className={classes.list} aria-label="Waiting" ref={place}>
        {skills.map((skill) => (
          <li key={skill.id}>
            <UnstyledButton
              className={classes.row}
              aria-current={skill.id === selected}
              onClick={() => onSelect(skill.id)}
              data-row
            >
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Text size="sm" fw={570} className={classes.cut}>
                  {skill.title || skill.name}
                </Text>
                <Badge
                  size="sm"
                  color={skill.status === 'draft' ? 'gray' : skill.promotion ? 'blue' : 'yellow'}
                  className={classes.fixed}
                >
                  {whatWaits(skill)}
                </Badge>
              </Group>
              <Text size="xs" c="dimmed" lineClamp={2} mt={2}>
                {skill.description}
              </Text>
              <Group gap={6} mt={4} wrap="nowrap">
                <Text size="xs" c="dimmed" className={classes.cut}>
                  {names.user(skill.updated_by)}
                  {skill.created_through ? ` via ${names.agent(skill.created_through)}` : ''} ·{' '}
                  {originLabel(skill.origin)}
                </Text>
                <Ago at={skill.updated_at} size="xs" c="dimmed" className={classes.fixed} ml="auto" />
              </Group>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {more && (
        <Button fullWidth variant="subtle" mt="xs" onClick={more}>
          Show more
        </Button>
      )}
    </>
  );
}
