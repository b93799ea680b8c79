/** Three ways to a new skill: write it, drop a bundle, or start from code. */
import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { BackLink } from '@/components/BackLink';
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
      above={<BackLink to="/skills">Library</BackLink>}
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
