/** Markdown as it reads. HTML in it is shown as text; what links elsewhere opens elsewhere and is told nothing. */
import { Typography } from '@mantine/core';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

export default function Markdown({ children }: { children: string }) {
  return (
    <Typography>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children: text }) => (
            <a href={href} target="_blank" rel="noreferrer noopener">
              {text}
            </a>
          ),
          // A picture from elsewhere would tell its host who reads this.
          img: ({ alt }) => <em>[picture: {alt || 'without a description'}]</em>,
        }}
      >
        {children}
      </ReactMarkdown>
    </Typography>
  );
}
