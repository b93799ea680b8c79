/** Three ways to a new skill: write it, drop a bundle, or start from code. */
import { Anchor, Group, SegmentedControl } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Page } from '@/components/page';
import { BundleWay } from './new/BundleWay';
import { CodeWay } from './new/CodeWay';
import { WriteWay } from './new/WriteWay';

export default function NewSkillPage() {
  const { from } = useSearch({ from: '/shell/skills/new' });
  const navigate = useNavigate();
  return (
    <Page
      title="New skill"
      description="A skill is a folder with a SKILL.md: what it knows, and if you like what it does and what it bounds."
      width="text"
      above={
        <Anchor component={Link} to="/skills" size="sm" c="dimmed" mb="xs" display="inline-block">
          <Group gap={4} component="span">
            <IconArrowLeft size={14} aria-hidden /> Library
          </Group>
        </Anchor>
      }
    >
      <SegmentedControl
        aria-label="How to begin"
        fullWidth
        mb="lg"
        value={from ?? 'write'}
        onChange={(way) =>
          void navigate({ to: '/skills/new', search: { from: way === 'write' ? undefined : way } })
        }
        data={[
          { value: 'write', label: 'Write it' },
          { value: 'bundle', label: 'Drop a bundle' },
          { value: 'code', label: 'Start from code' },
        ]}
      />
      {from === 'bundle' ? <BundleWay /> : from === 'code' ? <CodeWay /> : <WriteWay />}
    </Page>
  );
}
