import './start.css';
