import { Page } from '@/components/page';

export default function SkillPage() {
  return <Page title="SkillPage">…</Page>;
}
